import { createHash } from 'node:crypto';
import type { DagApi, Logger, ParsedDagFile } from '@windhover/core';
import { backoffMs } from './backoff.ts';

/** How many files are sent at a time. */
const AT_A_TIME = 4;

/**
 * Brings the platform to what is wanted, and goes on until it is there: what failed is tried again, each file at its own
 * pace, so that one the platform refuses does not hold up the others. What the platform has already is not sent.
 */
export class DagFileSender {
  private readonly dagApi: DagApi;
  private readonly log: Logger;
  private readonly onIdle: () => void;
  private readonly files = new Map<string, Entry>();
  private list: { wanted: readonly string[]; sent: string | null; failures: number; notBefore: number } | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isSending = false;
  private isStopped = false;

  constructor(dagApi: DagApi, log: Logger, onIdle: () => void) {
    this.dagApi = dagApi;
    this.log = log;
    this.onIdle = onIdle;
  }

  get isIdle(): boolean {
    return !this.isSending && !this.isListOpen() && !this.openFiles().length;
  }

  /** The files that exist. What else was wanted or sent is forgotten. */
  wantList(files: readonly string[]): void {
    this.list = { sent: null, failures: 0, notBefore: 0, ...this.list, wanted: files };
    const existing = new Set(files);
    for (const file of [...this.files.keys()]) if (!existing.has(file)) this.files.delete(file);
    void this.send();
  }

  wantFiles(parsed: ReadonlyMap<string, ParsedDagFile>): void {
    for (const [file, wanted] of parsed) {
      const entry = this.files.get(file) ?? { key: '', sent: null, failures: 0, notBefore: 0, wanted };
      const key = keyOf(wanted);
      // New content deserves a new try at once.
      this.files.set(file, key === entry.key ? entry : { key, wanted, sent: entry.sent, failures: 0, notBefore: 0 });
    }
    void this.send();
  }

  /** Does not wait for a call that is under way. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private async send(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    try {
      // The list and the files never go at the same time: a late file would bring back what the list has removed.
      while (!this.isStopped) {
        const now = performance.now();
        if (this.isListOpen() && this.list!.notBefore <= now) await this.sendList(this.list!);
        const due = this.openFiles().filter(({ notBefore }) => notBefore <= now);
        if (due.length === 0) break;
        // A file that gives up a DAG goes before the one that takes it over.
        due.sort((a, b) => a.wanted.dags.length - b.wanted.dags.length);
        await Promise.all(due.slice(0, AT_A_TIME).map((entry) => this.sendFile(entry)));
      }
    } finally {
      this.isSending = false;
    }
    this.armTimer();
    if (this.isIdle) this.onIdle();
  }

  private async sendList(list: NonNullable<typeof this.list>): Promise<void> {
    const { wanted } = list;
    try {
      await this.dagApi.putDagFileList(wanted);
      if (this.list) this.list = { ...this.list, sent: wanted.join('\n'), failures: 0, notBefore: 0 };
    } catch (error) {
      this.list = { ...this.list!, ...this.postpone(list, `The list of ${wanted.length} DAG files`, error) };
    }
  }

  private async sendFile(entry: Entry): Promise<void> {
    const { file } = entry.wanted;
    let outcome: Pick<Entry, 'sent' | 'failures' | 'notBefore'>;
    try {
      await this.dagApi.putDagFile(entry.wanted);
      outcome = { sent: entry.key, failures: 0, notBefore: 0 };
    } catch (error) {
      outcome = this.postpone(entry, `What ${file} holds`, error);
    }
    const current = this.files.get(file);
    if (!current) return;
    // Something newer may be wanted by now; then only what the platform has is noted.
    this.files.set(file, { ...current, ...(current.key === entry.key ? outcome : { sent: outcome.sent }) });
  }

  private postpone({ failures }: { failures: number }, what: string, error: unknown) {
    const waitMs = backoffMs(failures);
    if (!this.isStopped) this.log.warning(`${what} could not be sent; trying again in ${waitMs} ms: ${String(error)}`);
    // It may have arrived all the same, so nobody knows what the platform has.
    return { sent: null, failures: failures + 1, notBefore: performance.now() + waitMs };
  }

  private isListOpen(): boolean {
    return this.list !== null && this.list.sent !== this.list.wanted.join('\n');
  }

  private openFiles(): Entry[] {
    return [...this.files.values()].filter(({ key, sent }) => key !== sent);
  }

  private armTimer(): void {
    clearTimeout(this.timer);
    if (this.isStopped) return;
    const times = [...(this.isListOpen() ? [this.list!] : []), ...this.openFiles()].map(({ notBefore }) => notBefore);
    if (times.length === 0) return;
    this.timer = setTimeout(() => void this.send(), Math.max(0, Math.min(...times) - performance.now()));
  }
}

interface Entry {
  readonly wanted: ParsedDagFile;
  readonly key: string;
  /** The key of what the platform has; null for nothing. */
  readonly sent: string | null;
  readonly failures: number;
  readonly notBefore: number;
}

const keys = new WeakMap<ParsedDagFile, string>();

function keyOf(parsed: ParsedDagFile): string {
  const known = keys.get(parsed);
  if (known !== undefined) return known;
  const key = createHash('sha256').update(JSON.stringify(parsed)).digest('base64');
  keys.set(parsed, key);
  return key;
}
