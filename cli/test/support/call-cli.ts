import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io, Sink } from '../../src/io.ts';
import { run } from '../../src/program.ts';
import type { StubApi } from './stub-api.ts';

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CallOptions {
  /** Default: the stub's address and its token. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a new, empty folder. */
  readonly cwd?: string;
  /** Default: none, as in a pipe. A number makes standard output a terminal of this width. */
  readonly columns?: number;
  readonly stdin?: string;
  /** Stands for Ctrl-C. */
  readonly interrupt?: AbortSignal;
}

/** Runs `windhover` in this process. */
export async function callCli(
  stub: StubApi | null,
  args: readonly string[],
  options: CallOptions = {},
): Promise<CliResult> {
  const stdout = new Capture(options.columns);
  const stderr = new Capture();
  const io: Io = {
    stdout,
    stderr,
    readStdin: async () => options.stdin ?? '',
    env: options.env ?? (stub ? { WINDHOVER_API_URL: stub.url, WINDHOVER_API_TOKEN: stub.token } : {}),
    cwd: options.cwd ?? mkdtempSync(join(tmpdir(), 'windhover-cli-')),
    interruptible: (work) => work(options.interrupt ?? new AbortController().signal),
  };
  const exitCode = await run(args, io);
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

class Capture implements Sink {
  text = '';
  readonly isTTY: boolean;
  readonly columns?: number;

  constructor(columns?: number) {
    this.isTTY = columns !== undefined;
    if (columns !== undefined) this.columns = columns;
  }

  write(text: string): void {
    this.text += text;
  }
}
