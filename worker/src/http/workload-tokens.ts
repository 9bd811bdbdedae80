import {
  type CallbackHandOff,
  type TaskHandOff,
  taskWorkloadId,
  type WorkerIdentity,
  type Workload,
} from '@windhover/core';

/** The tokens of one workload. */
export interface WorkloadToken {
  readonly start: string;
  /** Speaks for it once it was started; until then the start token does. */
  current: string;
  /** Who started it; null until then. */
  worker: WorkerIdentity | null;
}

/** Which token speaks for whom, while a workload is worked on. */
export class WorkloadTokens {
  readonly #tokens = new Map<string, WorkloadToken>();

  add(workload: Workload): void {
    const { token } = workload;
    this.#tokens.set(nameOf(workload), { start: token, current: token, worker: null });
  }

  of(speaker: Speaker): WorkloadToken | undefined {
    return this.#tokens.get(nameOf(speaker));
  }

  remove(speaker: Speaker): void {
    this.#tokens.delete(nameOf(speaker));
  }
}

/** A `Workload` has the fields of those who speak for it. */
export type Speaker = TaskHandOff | CallbackHandOff | { readonly testId: string };

function nameOf(speaker: Speaker): string {
  if ('taskInstanceId' in speaker) return taskWorkloadId(speaker.taskInstanceId, speaker.epoch);
  return 'callbackId' in speaker ? `callback:${speaker.callbackId}` : `testConnection:${speaker.testId}`;
}
