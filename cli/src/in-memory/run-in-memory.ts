import {
  type Dag,
  formatRunId,
  isTerminal,
  type Json,
  RETURN_VALUE,
  resolveParams,
  type SerializedDag,
  serializeDag,
} from '@windhover/core';
import {
  makeVersion,
  planTasks,
  type RunOutcome,
  runOutcome,
  type TaskChange,
  type TaskInstanceRow,
} from '@windhover/platform';
import { dagVersionHash } from '@windhover/worker';
import { eventOfChange } from './event-of-change.ts';
import { MemoryRun } from './memory-run.ts';
import { MemoryServices } from './memory-services.ts';
import { MemoryTriggerer } from './memory-triggerer.ts';
import { MemoryWorker } from './memory-worker.ts';
import { TaskNotInDagError } from './task-not-in-dag-error.ts';
import type { Report, RunEnded, TestedTask } from './test-event.ts';

export interface InMemoryRunOptions {
  readonly projectRoot: string;
  readonly dag: Dag;
  /** Relative to the project's root. */
  readonly dagFile: string;
  /** Runs this one alone, whatever stands above it. Default: all tasks. */
  readonly taskId?: string | undefined;
  /** Default: now. */
  readonly logicalDate?: Date | undefined;
  /** Default: {}. */
  readonly conf?: Readonly<Record<string, Json>> | undefined;
  /** What tasks left that do not run here, by their id. Default: nothing. */
  readonly xcoms?: readonly GivenXCom[] | undefined;
  /** Has connections and variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: a retry waits as long as its task says. */
  readonly skipsRetryDelay?: boolean | undefined;
  /** Largest result, as JSON. Default: as for a worker. */
  readonly xcomLimitBytes?: number | undefined;
  readonly report: Report;
  /** Aborts what runs, and cancels what waits. */
  readonly signal: AbortSignal;
  /** Resolves when Enter is pressed: then retries are not waited for. Default: nobody is there. */
  enter?(signal: AbortSignal): Promise<void>;
}

export interface GivenXCom {
  readonly taskId: string;
  readonly key: string;
  /** As it is stored. */
  readonly value: Json;
}

/**
 * Runs a DAG, or one of its tasks, in this process: no server, no database. What follows from what is decided by the
 * platform's own functions, tasks are run as on a worker and triggers as in a triggerer; so what passes here passes there.
 * One task at a time, so that its output is its own.
 */
export async function runInMemory(options: InMemoryRunOptions): Promise<RunEnded> {
  return new InMemoryRun(options).execute();
}

class InMemoryRun {
  readonly #options: InMemoryRunOptions;
  readonly #run: MemoryRun;
  readonly #worker: MemoryWorker;
  readonly #triggerer: MemoryTriggerer;
  /** Aborts with Ctrl-C, or when the run has taken too long. */
  readonly #signal: AbortSignal;
  #calledBack = 0;
  #wake = () => {};

  constructor(options: InMemoryRunOptions) {
    const { dag, dagFile, projectRoot, conf = {}, logicalDate = new Date(), report, env } = options;
    const serialized = serializeDag(dag);
    const tested = options.taskId === undefined ? serialized : onlyTask(serialized, options.taskId);
    this.#options = options;
    this.#run = new MemoryRun(
      {
        version: makeVersion(1, dagVersionHash(dag), tested),
        dagFile,
        runId: formatRunId('manual', logicalDate),
        logicalDate,
        conf,
        params: resolveParams(dag.dagId, serialized.params, conf),
        taskIds: new Set(serialized.tasks.map(({ taskId }) => taskId)),
      },
      (change) => {
        const event = eventOfChange(change, this.#run.facts);
        if (event) report(event);
        this.#triggerer.sync();
        this.#wake();
      },
    );
    const note = (taskId: string | null, message: string) => report({ at: now(), type: 'note', taskId, message });
    const services = new MemoryServices({ run: this.#run, env, note });
    const { xcomLimitBytes } = options;
    this.#worker = new MemoryWorker({ run: this.#run, services, report, projectRoot, xcomLimitBytes });
    this.#triggerer = new MemoryTriggerer({ run: this.#run, services, report, projectRoot });
    this.#signal = limited(options.signal, serialized.dagRunTimeoutMs);
    for (const { taskId, key, value } of options.xcoms ?? []) this.#run.putXCom(taskId, key, { type: 'value', value });
  }

  async execute(): Promise<RunEnded> {
    const { version, runId, dagFile, logicalDate, params } = this.#run.facts;
    this.#options.report({
      at: now(),
      type: 'runStarted',
      dagId: version.dag.dagId,
      runId,
      file: dagFile,
      logicalDate: logicalDate.toISOString(),
      params,
      taskIds: [...version.tasks.keys()],
    });
    this.#signal.addEventListener('abort', () => this.#wake());
    const outcome = await this.#untilOver();
    // Nobody comes back to what still waits: its outside work is cancelled.
    for (const { id } of this.#run.rows.values()) this.#run.submit({ id, type: 'end', state: 'stopped' });
    if (outcome.state !== 'stopped') await this.#callBackRun(outcome.state, outcome.reason);
    await this.#triggerer.close();
    return this.#end(outcome);
  }

  async #untilOver(): Promise<Pick<RunEnded, 'state' | 'reason'>> {
    const { version } = this.#run.facts;
    while (!this.#signal.aborted) {
      await this.#callBack();
      const failed = version.dag.failFast && [...this.#run.rows.values()].find(({ state }) => state === 'failed');
      if (failed) return { state: 'failed', reason: `failed: ${failed.taskId}; the DAG has failFast` };
      this.#takeTimers();
      if (this.#plan()) continue;
      const ready = this.#mostUrgent();
      if (ready) {
        await this.#execute(ready);
        continue;
      }
      const outcome = runOutcome(version, this.#run.rows);
      if (outcome) return outcome;
      await this.#sleep();
    }
    if (this.#options.signal.aborted) return { state: 'stopped', reason: 'interrupted' };
    return { state: 'failed', reason: `timed out: it took longer than ${version.dag.dagRunTimeoutMs} ms` };
  }

  async #execute(scheduled: TaskInstanceRow): Promise<void> {
    const row = this.#change(scheduled, { type: 'queue', jobId: 1, executor: 'in-memory' })!;
    await this.#worker.runTask(row, this.#signal);
    // Stale if the task has told how it ended, as it should have.
    if (!this.#signal.aborted) this.#change(row, { type: 'lose', reason: 'it ended without a report' });
  }

  /** Calls what changes have asked for, each in its turn. */
  async #callBack(): Promise<void> {
    const { signal } = this.#options;
    for (; this.#calledBack < this.#run.callbacks.length && !signal.aborted; this.#calledBack += 1)
      await this.#worker.runCallback(String(this.#calledBack), signal);
  }

  async #callBackRun(state: RunOutcome['state'], reason: string): Promise<void> {
    const name = state === 'success' ? 'onSuccess' : 'onFailure';
    if (!this.#run.facts.version.dag.callbacks.includes(name)) return;
    const error = state === 'failed' ? { name: 'DagRunFailed', message: reason } : null;
    this.#run.addCallback({ name, taskId: null, state, error, tryNumber: 1, attempt: 1 });
    await this.#callBack();
  }

  /** Whether something changed. */
  #plan(): boolean {
    const { rows, facts } = this.#run;
    const planned = planTasks(facts.version, rows, rows.keys(), { now: new Date() });
    for (const { taskId, type } of planned) this.#change(rows.get(taskId)!, { type });
    return planned.length > 0;
  }

  /** As the scheduler has it: by weight, then who was resumed, then by place in the DAG. */
  #mostUrgent(): TaskInstanceRow | undefined {
    const { weights } = this.#run.facts.version;
    const weightOf = ({ taskId }: TaskInstanceRow) => weights.get(taskId) ?? 1;
    return [...this.#run.rows.values()]
      .filter(({ state }) => state === 'scheduled')
      .sort(
        (a, b) =>
          weightOf(b) - weightOf(a) || Number(b.nextMethod !== null) - Number(a.nextMethod !== null) || a.id - b.id,
      )[0];
  }

  #takeTimers(): void {
    for (const row of this.#run.rows.values()) {
      if (row.state === 'deferred') this.#change(row, { type: 'timeOut' });
      if (this.#options.skipsRetryDelay) this.#retryNow(row);
    }
  }

  #retryNow(row: TaskInstanceRow): void {
    if (row.state === 'up_for_retry' && row.resumeAt! > new Date()) this.#run.submit({ id: row.id, type: 'retryNow' });
  }

  /** Until something changes, or is due. */
  async #sleep(): Promise<void> {
    const rows = [...this.#run.rows.values()];
    const dueAt = Math.min(...rows.flatMap(instantsOf).map((instant) => instant.getTime()));
    const awake = Promise.withResolvers<void>();
    this.#wake = awake.resolve;
    const timer = setTimeout(awake.resolve, Math.min(Math.max(0, dueAt - Date.now()) + 1, LONGEST_SLEEP_MS));
    const over = new AbortController();
    if (rows.some(({ state }) => state === 'up_for_retry')) {
      const skip = () => {
        for (const row of this.#run.rows.values()) this.#retryNow(row);
      };
      this.#options.enter?.(over.signal).then(skip, () => {});
    }
    if (this.#signal.aborted) awake.resolve();
    await awake.promise;
    this.#wake = () => {};
    clearTimeout(timer);
    over.abort();
  }

  #change({ id, epoch }: TaskInstanceRow, change: OwnersChange): TaskInstanceRow | null {
    return this.#run.submit({ ...change, id, epoch } as TaskChange);
  }

  #end(outcome: Pick<RunEnded, 'state' | 'reason'>): RunEnded {
    const { rows, facts } = this.#run;
    const ended: RunEnded = {
      type: 'runEnded',
      dagId: facts.version.dag.dagId,
      runId: facts.runId,
      ...outcome,
      tasks: [...rows.values()].map((row) => this.#tested(row)),
    };
    this.#options.report({ at: now(), ...ended });
    return ended;
  }

  #tested({ taskId, state, tryNumber, startedAt, runningMs, deferredMs, error }: TaskInstanceRow): TestedTask {
    const result = this.#run.xcom(taskId, RETURN_VALUE);
    return {
      taskId,
      state,
      tries: startedAt ? tryNumber : 0,
      runningMs,
      deferredMs,
      ...(result.type === 'value' && isTerminal(state) && { result: result.value }),
      error,
    };
  }
}

type OwnersChange = DistributiveOmit<Extract<TaskChange, { epoch: number }>, 'id' | 'epoch'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Looking once an hour costs nothing. */
const LONGEST_SLEEP_MS = 3_600_000;

/** Node's timers go no further than 24 days, and nobody sits before a test for longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function limited(signal: AbortSignal, timeoutMs: number | null): AbortSignal {
  if (timeoutMs === null || timeoutMs > LONGEST_TIMER_MS) return signal;
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}

function instantsOf({ state, triggerTimeout, deadlineAt, resumeAt }: TaskInstanceRow): Date[] {
  return (state === 'deferred' ? [triggerTimeout, deadlineAt] : [resumeAt]).filter((instant) => instant !== null);
}

function onlyTask(dag: SerializedDag, taskId: string): SerializedDag {
  const task = dag.tasks.find((each) => each.taskId === taskId);
  if (!task)
    throw new TaskNotInDagError(
      dag.dagId,
      taskId,
      dag.tasks.map((each) => each.taskId),
    );
  return { ...dag, tasks: [{ ...task, upstreamTaskIds: [] }] };
}

function now(): string {
  return new Date().toISOString();
}
