import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Command {
  readonly pid: number;
  /** All it has printed so far. */
  readonly output: string;
  readonly isRunning: boolean;
  /** Waits until it has printed this. Rejects with what it printed if it ends before. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Ends it and waits for its end; answers the exit code, or the signal. */
  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  readonly ended: Promise<number | NodeJS.Signals>;
}

const repository = join(import.meta.dirname, '../../..');

/** `windhover` as a process of its own, from the sources. */
export function windhover(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Command {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--conditions=development', join(repository, 'cli/src/bin.ts'), ...args],
    { cwd, env: { PATH: process.env.PATH!, HOME: process.env.HOME ?? '/', ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      output += chunk;
      for (const listener of listeners) listener();
    });
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
  void ended.then(() => {
    for (const listener of listeners) listener();
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid!,
    ended,
    get output() {
      return output;
    },
    get isRunning() {
      return isRunning();
    },
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = output.match(pattern);
          if (match) resolve(match);
          else if (!isRunning()) reject(new Error(`windhover ${args.join(' ')} ended without ${pattern}:\n${output}`));
          else return;
          listeners.delete(look);
        };
        listeners.add(look);
        look();
      }),
    kill: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}
