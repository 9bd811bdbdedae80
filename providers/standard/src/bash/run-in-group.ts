import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { LineSplitter } from './line-splitter.ts';

export interface GroupCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the whole group: SIGTERM, and SIGKILL after `killGraceMs` for what is left of it. */
  readonly signal: AbortSignal;
  readonly killGraceMs: number;
  onLine(stream: 'stdout' | 'stderr', line: string): void;
}

export type GroupEnd = { readonly exitCode: number } | { readonly signal: NodeJS.Signals };

/**
 * Runs a command as the leader of a process group of its own, so that what it starts can be ended with it. Resolves when
 * it has ended and its output is read; after an abort, when nothing of the group is left. Rejects when it does not start.
 */
export async function runInGroup(options: GroupCommand): Promise<GroupEnd> {
  const { command, args, cwd, env, signal, killGraceMs } = options;
  signal.throwIfAborted();
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [readLines(child.stdout, options, 'stdout'), readLines(child.stderr, options, 'stderr')];
  const stop = stopper(child, killGraceMs);
  signal.addEventListener('abort', stop.begin, { once: true });
  try {
    const end = await ended(child);
    await stop.finished();
    // Who left the group on purpose and keeps the output open is not waited for once the command was to stop.
    if (signal.aborted) for (const stream of [child.stdout, child.stderr]) stream.destroy();
    await Promise.all(output);
    return end;
  } finally {
    signal.removeEventListener('abort', stop.begin);
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

function ended(child: Child): Promise<GroupEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<GroupEnd>();
  child.once('error', reject);
  child.once('exit', (exitCode, by) => resolve(exitCode === null ? { signal: by! } : { exitCode }));
  return promise;
}

async function readLines(stream: Readable, { onLine }: GroupCommand, name: 'stdout' | 'stderr'): Promise<void> {
  const lines = new LineSplitter((line) => onLine(name, line));
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.on('data', (chunk: Buffer) => lines.write(chunk));
  // A broken pipe is the end of the output; how the command ended is told by its exit.
  stream.on('error', () => {});
  stream.once('close', resolve);
  await promise;
  lines.end();
}

/** `begin` asks the group to end; `finished` resolves when it has, and at once if it was never asked. */
function stopper(child: Child, killGraceMs: number) {
  let stopping: Promise<void> | undefined;
  return {
    begin: () => {
      stopping ??= child.pid === undefined ? Promise.resolve() : endGroup(child.pid, killGraceMs);
    },
    finished: async () => stopping,
  };
}

async function endGroup(groupId: number, graceMs: number): Promise<void> {
  const giveUpAt = performance.now() + graceMs;
  let isThere = signalGroup(groupId, 'SIGTERM');
  // Members of a group are not our children, so their end cannot be awaited: it is looked for.
  while (isThere && performance.now() < giveUpAt) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    isThere = signalGroup(groupId, 0);
  }
  if (isThere) signalGroup(groupId, 'SIGKILL');
}

const LOOK_MS = 20;

/** Whether the group had a member to receive it. */
function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-groupId, signal);
  } catch (error) {
    // EPERM: there are members, and none of them is ours.
    if (['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
