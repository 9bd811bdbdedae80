import { StringDecoder } from 'node:string_decoder';

/** A line without an end is cut here, so that a progress bar does not grow without limit. */
const MAX_LINE = 1024 * 1024;

/** Cuts what a process prints into lines; the last one may lack its end. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  write(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (this.#rest.length > MAX_LINE) this.end();
  }

  end(): void {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    if (rest !== '') this.#onLine(rest);
  }
}
