import type { DataInterval } from '@windhover/core';

/** A run that a schedule asks for. */
export interface ScheduledRun {
  /** The start of its interval. */
  readonly logicalDate: Date;
  readonly dataInterval: DataInterval;
  /** When it is due: its whole interval has passed. */
  readonly runAfter: Date;
}

export function scheduledRun(startMs: number, endMs: number): ScheduledRun {
  return {
    logicalDate: new Date(startMs),
    dataInterval: { start: new Date(startMs), end: new Date(endMs) },
    runAfter: new Date(endMs),
  };
}
