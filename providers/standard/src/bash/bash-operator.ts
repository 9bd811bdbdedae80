import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BaseOperator, type Context, TaskSkipped } from '@windhover/core';
import { BashCommandError } from './bash-command-error.ts';
import { type GroupEnd, runInGroup } from './run-in-group.ts';

export interface BashArgs {
  readonly bashCommand: string;
  /** Its environment, with the worker's `PATH` where it has none. Default: the worker's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Adds `env` to the worker's environment instead of replacing it. Default: false. */
  readonly appendEnv?: boolean;
  /** Relative paths begin at the project. Default: a directory of its own that is removed afterwards. */
  readonly cwd?: string;
  /** Exit codes that skip the task; null for none. Default: 99. */
  readonly skipOnExitCode?: number | readonly number[] | null;
}

/**
 * Runs a command in bash. What it prints goes to the task's log as it comes; the result is the last line it printed to
 * stdout. When the task is to end, the command and all that it started are ended: SIGTERM, and SIGKILL two seconds later.
 *
 * ```ts
 * new BashOperator({ taskId: 'count', bashCommand: 'wc -l < "$FILE"', env: { FILE: '/data/in.csv' } });
 * ```
 */
export class BashOperator extends BaseOperator<string | undefined, BashArgs> {
  async execute(context: Context): Promise<string | undefined> {
    const ownDirectory = this.args.cwd === undefined ? await mkdtemp(join(tmpdir(), 'windhover-bash-')) : undefined;
    try {
      return await this.run(context, this.args.cwd ?? ownDirectory!);
    } finally {
      if (ownDirectory) await rm(ownDirectory, { recursive: true, force: true });
    }
  }

  private async run(context: Context, cwd: string): Promise<string | undefined> {
    const { bashCommand, env, appendEnv = false } = this.args;
    let lastLine: string | undefined;
    const end = await runInGroup({
      command: 'bash',
      args: ['-c', bashCommand],
      cwd,
      env: env && !appendEnv ? { PATH: process.env.PATH, ...env } : { ...process.env, ...env },
      signal: context.signal,
      killGraceMs: KILL_GRACE_MS,
      onLine: (stream, line) => {
        if (stream === 'stdout') lastLine = line;
        context.log[stream === 'stdout' ? 'info' : 'warning'](line);
      },
    }).catch((error: NodeJS.ErrnoException) => {
      throw this.notStarted(error, cwd);
    });
    context.signal.throwIfAborted();
    this.judge(end);
    return lastLine;
  }

  private judge(end: GroupEnd): void {
    if ('signal' in end) throw new BashCommandError(this.taskId, `was ended by ${end.signal}.`, null);
    const { skipOnExitCode = 99 } = this.args;
    const { exitCode } = end;
    if (exitCode === 0) return;
    if (exitCode === skipOnExitCode || (Array.isArray(skipOnExitCode) && skipOnExitCode.includes(exitCode))) {
      throw new TaskSkipped(`The command ended with exit code ${exitCode}, which skips the task.`);
    }
    throw new BashCommandError(this.taskId, `ended with exit code ${exitCode}. Its log says more.`, exitCode);
  }

  /** Node says ENOENT for a missing directory and for a missing bash alike. */
  private notStarted(error: NodeJS.ErrnoException, cwd: string): unknown {
    if (error.code !== 'ENOENT') return error;
    return new BashCommandError(
      this.taskId,
      `did not start: either there is no directory "${cwd}", or bash is not on the worker's PATH.`,
      null,
      { cause: error },
    );
  }
}

/** Less than the five seconds a task has to end after its execution timeout. */
const KILL_GRACE_MS = 2_000;
