import { setTimeout as sleep } from 'node:timers/promises';
import type { LogRecord } from '@windhover/core';
import type { TaskLogPage } from '../api-client/tasks.ts';
import { EXIT } from '../exit-codes.ts';
import { reconnecting } from '../follow/reconnecting.ts';
import type { Colour } from '../output/output.ts';
import type { Session } from '../session.ts';
import { type TaskName, taskPath } from './task-name.ts';

export interface LogsOptions {
  readonly attempt?: number;
  readonly follow?: true;
}

/** Where a server answers an empty page at once instead of waiting, it is not asked in a tight loop. */
const PAUSE_MS = 200;

/** `windhover tasks logs` */
export async function showTaskLogs(session: Session, name: TaskName, options: LogsOptions): Promise<void> {
  const { output } = session;
  const count = await session.io.interruptible((signal) => printLogs(session, name, options, signal));
  if (count === null) session.exitCode = EXIT.interrupted;
  else if (count === 0) output.line('This attempt has logged nothing.');
}

/** Answers how many records there were; null where the signal was aborted. */
async function printLogs(
  { api, output }: Session,
  name: TaskName,
  { attempt, follow }: LogsOptions,
  signal: AbortSignal,
): Promise<number | null> {
  const url = `${taskPath(name)}/logs`;
  let query: { attempt?: number | undefined; cursor?: string; follow?: true | undefined } = { attempt, follow };
  let count = 0;
  try {
    for (;;) {
      const read = () => api.get<TaskLogPage>(url, query, { signal });
      const page = await (count > 0 ? reconnecting(read, output, signal) : read());
      for (const record of page.records) print(output, record);
      count += page.records.length;
      if (page.isOver) return count;
      if (page.records.length === 0) {
        if (!follow) return count;
        await sleep(PAUSE_MS, undefined, { signal });
      }
      // The attempt stays the one that was begun with, also when a retry starts the next.
      query = { attempt: page.attempt, cursor: page.cursor, follow };
    }
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

const LEVELS: Readonly<Record<LogRecord['level'], Colour | null>> = {
  debug: 'gray',
  info: null,
  warning: 'yellow',
  error: 'red',
};

function print(output: Session['output'], record: LogRecord): void {
  if (output.isJson) output.record(record);
  else output.line(lineOf(output, record));
}

function lineOf({ paint }: Session['output'], { at, level, message, fields = {} }: LogRecord): string {
  const facts = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  const head = `${paint('dim', at)} ${paint(LEVELS[level] ?? null, level.toUpperCase().padEnd(7))}`;
  return `${head} ${message}${paint('dim', facts.join(''))}`;
}
