/** Splits the output of a process into lines and keeps the last few, which often tell why it died. */
export class OutputTail {
  readonly #onLine: (line: string) => void;
  readonly #lines: string[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  follow(stream: NodeJS.ReadableStream): void {
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!.slice(-MAX_LINE);
      for (const line of lines) this.#add(line.trimEnd());
    });
    stream.on('end', () => this.#add(rest));
    stream.on('error', () => {});
  }

  get last(): readonly string[] {
    return this.#lines;
  }

  #add(line: string): void {
    // Addresses inside of Node, which follow the reason when it aborts.
    if (line === '' || /^\s*\d+: 0x[0-9a-f]+ /.test(line)) return;
    this.#lines.push(line.slice(0, MAX_LINE));
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    this.#onLine(line);
  }
}

const MAX_LINES = 12;
const MAX_LINE = 2_000;
