import { styleText } from 'node:util';
import type { Io, Sink } from '../io.ts';
import { LiveLine } from './live-line.ts';
import { type Column, renderTable } from './table.ts';

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'gray' | 'bold' | 'dim';

export type Paint = (colour: Colour | null, text: string) => string;

export interface TableOptions<T> {
  readonly columns: readonly Column<T>[];
  /** Said instead of a table without rows. */
  readonly empty: string;
  /** Whether there are more rows than these. Default: no. */
  readonly hasMore?: boolean;
}

/** Everything that commands print goes through here: text for people, or JSON for programs. */
export class Output {
  readonly isJson: boolean;
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  readonly #hasColours: boolean;
  readonly paint: Paint;

  constructor({ stdout, stderr, env }: Pick<Io, 'stdout' | 'stderr' | 'env'>, { isJson }: { isJson: boolean }) {
    this.isJson = isJson;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#hasColours = stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
    this.paint = (colour, text) =>
      this.#hasColours && colour !== null ? styleText(colour, text, { validateStream: false }) : text;
  }

  /** Whether somebody watches, so that a line may be repainted. */
  get isLive(): boolean {
    return this.#stdout.isTTY === true && !this.isJson;
  }

  /** A line for people; with `--json` nothing. */
  line(text = ''): void {
    if (!this.isJson) this.#stdout.write(`${text}\n`);
  }

  /** A line as it is, for programs and people alike. */
  raw(text: string): void {
    this.#stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** The useful command after this one; with `--json` nothing. */
  next(...commands: readonly string[]): void {
    for (const [index, command] of commands.entries())
      this.line(`${index === 0 ? 'Next: ' : '      '}${this.paint('cyan', command)}`);
  }

  /** What the reader should know, without being the answer. */
  notice(text: string): void {
    this.#stderr.write(`${text}\n`);
  }

  /** One document: indented, as `--json` prints it. */
  document(value: unknown): void {
    this.#stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** One line of NDJSON. */
  record(value: unknown): void {
    this.#stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** A document with `--json`, otherwise what `show` prints. */
  answer<T>(value: T, show: (value: T) => void): void {
    if (this.isJson) this.document(value);
    else show(value);
  }

  table<T>(rows: readonly T[], { columns, empty, hasMore = false }: TableOptions<T>): void {
    if (this.isJson) this.document(rows);
    else if (rows.length === 0) this.line(empty);
    else this.raw(renderTable(rows, columns, { width: this.#stdout.columns ?? null, paint: this.paint }));
    if (hasMore) this.notice(`There are more than these ${rows.length}. See more with: --limit ${rows.length * 10}`);
  }

  /** A list of facts, one a line, with the names aligned; facts that are null or empty are left out. */
  facts(facts: Readonly<Record<string, string | null>>): void {
    const shown = Object.entries(facts).filter(([, value]) => value !== null && value !== '');
    const width = Math.max(0, ...shown.map(([name]) => name.length));
    for (const [name, value] of shown) this.line(`${this.paint('dim', name.padEnd(width))}  ${value}`);
  }

  liveLine(): LiveLine {
    return new LiveLine(this.#stdout);
  }
}
