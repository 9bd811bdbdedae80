import type { ClaimedTrigger, LogLevel, TriggerLease } from '@windhover/core';
import type { StopReason } from './stop-signal.ts';
import type { TriggerHost } from './trigger-host.ts';

/** What a runner process serves to its triggerer. */
export interface RunnerProcessApi {
  start(claimed: readonly ClaimedTrigger[]): Promise<void>;
  drop(dropped: readonly DroppedTrigger[]): Promise<void>;
  /** How far the database's clock is ahead of this machine's. */
  setClock(offsetMs: number): Promise<void>;
  /** Hands all triggers back and ends the process. */
  retire(): Promise<void>;
}

/** What a triggerer serves to its runner processes. */
export interface RunnerHostApi extends TriggerHost {
  /** The process can take triggers. */
  ready(): Promise<void>;
  /** A line that was printed, but by no trigger. */
  printed(level: LogLevel, line: string): Promise<void>;
}

export interface DroppedTrigger extends TriggerLease {
  readonly reason: StopReason;
}

/** Given to a runner process as its argument, as JSON. */
export interface RunnerProcessSettings {
  readonly projectRoot: string;
  readonly clockOffsetMs: number;
}
