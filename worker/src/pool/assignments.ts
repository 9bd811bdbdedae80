import type { CallbackHandOff, TaskHandOff, Workload } from '@windhover/core';

/** A workload that a process was given. */
export interface Assignment {
  readonly workload: Workload;
  /** Null while it has not begun: then it may still be given to another process. */
  begunAt: number | null;
  /** The report is under way. */
  report: Promise<void> | null;
  /** Reports in its place when its process had to be killed because it did not end in time. */
  verdict: (() => Promise<void>) | null;
  /** It was told to stop. */
  isStopping: boolean;
  callOffKill(): void;
}

/** Who speaks, in a call from a process. */
export type Caller = TaskHandOff | CallbackHandOff | { readonly testId: string };

/** What one process was given and has not reported yet, in the order it was given. */
export class Assignments {
  readonly #byName = new Map<string, Assignment>();

  get size(): number {
    return this.#byName.size;
  }

  get all(): readonly Assignment[] {
    return [...this.#byName.values()];
  }

  get notBegun(): readonly Assignment[] {
    return this.all.filter(({ begunAt }) => begunAt === null);
  }

  add(workload: Workload): void {
    this.#byName.set(nameOf(workload), {
      workload,
      begunAt: null,
      report: null,
      verdict: null,
      isStopping: false,
      callOffKill: () => {},
    });
  }

  of(caller: Caller): Assignment | undefined {
    return this.#byName.get(nameOf(caller));
  }

  withId(workloadId: string): Assignment | undefined {
    return this.all.find(({ workload }) => workload.id === workloadId);
  }

  /** Answers whether it was there. */
  remove({ workload }: Assignment): boolean {
    return this.#byName.delete(nameOf(workload));
  }
}

/** For people too. A workload has the name of whoever speaks for it. */
export function nameOf(caller: Caller): string {
  if ('taskInstanceId' in caller) return `task:${caller.taskInstanceId}:${caller.epoch}`;
  return 'callbackId' in caller ? `callback:${caller.callbackId}` : `test:${caller.testId}`;
}
