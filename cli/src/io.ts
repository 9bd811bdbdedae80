import { text } from 'node:stream/consumers';
import { EXIT } from './exit-codes.ts';

/** All that a command touches of its process, so that a test can stand in for it. */
export interface Io {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readStdin(): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /**
   * While `work` runs, Ctrl-C aborts its signal instead of ending the process: there is something to tidy up or to
   * say. A second Ctrl-C ends the process at once.
   */
  interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Default: unknown, as of a file or a pipe; then nothing is cut to fit. */
  readonly columns?: number;
}

export function processIo(): Io {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    readStdin: () => text(process.stdin),
    env: process.env,
    cwd: process.cwd(),
    interruptible,
  };
}

async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onInterrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on('SIGINT', onInterrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}
