import type { Json } from '../json.ts';

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** Writes to the log of the task, also from its trigger while it waits. */
export type Logger = Readonly<Record<LogLevel, (message: string, fields?: Readonly<Record<string, Json>>) => void>>;

/** One line of a task's log. */
export interface LogRecord {
  /** ISO 8601, by the clock of the process that wrote it. */
  readonly at: string;
  readonly level: LogLevel;
  readonly message: string;
  /** Default: none. */
  readonly fields?: Readonly<Record<string, Json>>;
}
