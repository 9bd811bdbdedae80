import { AsyncLocalStorage } from 'node:async_hooks';
import type { LogLevel } from '@windhover/core';

/** Whose code is running: it names the trigger to whoever finds an error, a line of output or a blocked loop. */
export interface TriggerFrame {
  readonly triggerId: string;
  readonly classpath: string;
  /** What the trigger's code prints. */
  write(level: LogLevel, line: string): void;
  /** An error that nobody caught. */
  fail(error: unknown): void;
}

const frames = new AsyncLocalStorage<TriggerFrame>();

export function runInFrame<T>(frame: TriggerFrame, run: () => T): T {
  return frames.run(frame, run);
}

/** Also inside the handlers of `uncaughtException` and `unhandledRejection`: Node calls them in the frame of the error. */
export function currentFrame(): TriggerFrame | undefined {
  return frames.getStore();
}
