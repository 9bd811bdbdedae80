import { setMaxListeners } from 'node:events';
import {
  type BaseOperator,
  bindArgs,
  type Context,
  ExecutionTimeoutError,
  enterOperator,
  type FinishReport,
  isTransientError,
  type KillReason,
  RETURN_VALUE,
  Replay,
  render,
  StaleEpochError,
  type StartedTask,
  serializeError,
  type TaskApi,
  type TaskHandOff,
  type TaskOutcome,
  type TaskWorkload,
  type UnaddressedLogChunk,
  type WorkerIdentity,
} from '@windhover/core';
import type { TaskAddress } from '../loader/load-task.ts';
import { captureOutput } from './capture-output.ts';
import { askHeartbeats } from './heartbeats.ts';
import { setLongTimeout } from './long-timeout.ts';
import { Masker } from './masker.ts';
import { platformClock } from './platform-clock.ts';
import { ABANDON_GRACE_MS } from './run-limited.ts';
import { onStrayError } from './stray-errors.ts';
import { TaskAbortedError } from './task-aborted-error.ts';
import { taskContext } from './task-context.ts';
import { TaskLog } from './task-log.ts';
import { tell } from './tell.ts';
import { XComStore, type XComStoreOptions } from './xcom-store.ts';

export interface RunTaskOptions extends XComStoreOptions {
  readonly taskApi: TaskApi;
  /** The operator of a task, from its DAG file. */
  loadTask(address: TaskAddress): Promise<BaseOperator<any, any>>;
  readonly identity: WorkerIdentity;
  /** Refuses a trigger whose classpath leads to another class or to none. Default: only its form is checked. */
  assertResolvesTo?(classpath: string, target: TriggerClass): Promise<void>;
  /** Aborts when the worker is to end: the task is aborted and nothing is reported. Default: never. */
  readonly signal?: AbortSignal;
  /** Where the log goes. Default: `taskApi.log`. */
  logSink?(chunks: readonly UnaddressedLogChunk[]): Promise<void>;
  /**
   * Nothing else runs in this process meanwhile: what it prints goes to the task's log, and errors that nobody caught
   * fail the task. Default: false.
   */
  readonly ownsProcess?: boolean;
  /** How long code may take to end after its deadline. Default: 5,000. */
  readonly timeoutGraceMs?: number | undefined;
  /** The task's code has ended and only its report is under way: the process is free for other code. */
  onCodeOver?(): void;
}

export type TriggerClass = abstract new (...args: any[]) => unknown;

export interface TaskEnd {
  /** What was reported; `abandoned`: nothing, because the hand-off is over or the worker is to end. */
  readonly type: TaskOutcome['type'] | 'stopped' | 'abandoned';
  /** Code of the task may still be running, or an error passed by it: this process is no place for another task. */
  readonly isProcessSpoilt: boolean;
}

/** A deadline's grace where `timeoutGraceMs` is not given. */
export const DEFAULT_TIMEOUT_GRACE_MS = 5_000;

/**
 * The whole life of one hand-off on a worker: start, render, enter, report. Rejects only if the platform could not be
 * reached or did not take the report; how the task itself went is in its report.
 */
export function runTask(workload: TaskWorkload, options: RunTaskOptions): Promise<TaskEnd> {
  return new TaskRun(workload, options).run();
}

/** Why a task ends other than by its own code. */
type Interruption =
  | { readonly type: 'stop'; readonly reason: KillReason; readonly graceMs: number }
  | { readonly type: 'timeout'; readonly error: ExecutionTimeoutError }
  /** An error that nobody caught. */
  | { readonly type: 'stray'; readonly error: unknown }
  | { readonly type: 'stale'; readonly error: unknown }
  | { readonly type: 'shutdown'; readonly error: unknown };

class TaskRun {
  readonly #workload: TaskWorkload;
  readonly #options: RunTaskOptions;
  readonly #handOff: TaskHandOff;
  readonly #taskApi: TaskApi;
  readonly #masker = new Masker();
  readonly #abort = new AbortController();
  readonly #interrupted = Promise.withResolvers<null>();
  #interruption: Interruption | null = null;
  #isCodeOver = false;
  /** Run in the end, and once. */
  readonly #releases: (() => void)[] = [];
  /** The same for what `ownsProcess` took. */
  readonly #processReleases: (() => void)[] = [];
  #clock!: () => Date;
  #view: { readonly operator: BaseOperator<any, any>; readonly context: Context } | undefined;
  #log!: TaskLog;
  #xcom!: XComStore;

  constructor(workload: TaskWorkload, options: RunTaskOptions) {
    this.#workload = workload;
    this.#options = options;
    this.#handOff = { taskInstanceId: workload.taskInstanceId, epoch: workload.epoch };
    this.#taskApi = this.#watchingEpoch(options.taskApi);
    // Each sleep and each client of the task may listen to it.
    setMaxListeners(0, this.#abort.signal);
  }

  async run(): Promise<TaskEnd> {
    try {
      const started = await this.#taskApi.start(this.#handOff, this.#options.identity);
      this.#prepare(started);
      return await this.#live(started);
    } catch (error) {
      if (this.#interruption?.type === 'stale') return { type: 'abandoned', isProcessSpoilt: false };
      throw error;
    } finally {
      this.#releaseProcess();
      for (const release of this.#releases) release();
    }
  }

  async #live(started: StartedTask): Promise<TaskEnd> {
    const entered = this.#enter(started);
    const first = await Promise.race([entered, this.#interrupted.promise]);
    const isCodeOver = first !== null || (await this.#windDown(entered));
    this.#isCodeOver = isCodeOver;
    this.#releaseProcess();
    const isProcessSpoilt = !isCodeOver || this.#interruption?.type === 'stray';
    if (!isProcessSpoilt) this.#options.onCodeOver?.();
    if (this.#interruption?.type === 'stale' || this.#interruption?.type === 'shutdown')
      return { type: 'abandoned', isProcessSpoilt };
    const outcome = this.#interruption ? this.#interruptedOutcome(this.#interruption) : first!;
    return { type: await this.#report(outcome), isProcessSpoilt };
  }

  #prepare(started: StartedTask): void {
    this.#clock = platformClock(started.now);
    const taskApi = this.#taskApi;
    const { logSink } = this.#options;
    this.#masker.add(started.secretsToMask);
    this.#log = new TaskLog({
      writer: `worker:${this.#handOff.epoch}`,
      masker: this.#masker,
      send: (chunks) => (logSink ? logSink(chunks) : taskApi.log(this.#handOff, chunks)),
    });
    this.#xcom = new XComStore(taskApi, this.#handOff, started, this.#options);
    if (started.deadlineAt !== null) {
      const leftMs = Date.parse(started.deadlineAt) - Date.parse(started.now);
      this.#releases.push(
        setLongTimeout(leftMs, () => this.#interrupt({ type: 'timeout', error: this.#late(leftMs) })),
      );
    }
    // They go on until the report is made: its log may be long.
    this.#releases.push(
      askHeartbeats(taskApi, this.#handOff, started.heartbeatIntervalMs, ({ reason, graceMs }) =>
        this.#interrupt({ type: 'stop', reason, graceMs }),
      ),
    );
    this.#followSignal();
    if (this.#options.ownsProcess) {
      this.#processReleases.push(
        captureOutput((level, line) => this.#log.write(level, line)),
        onStrayError((error) => this.#interrupt({ type: 'stray', error })),
      );
    }
  }

  #releaseProcess(): void {
    for (const release of this.#processReleases.splice(0)) release();
  }

  /** Enters the task's code. Never rejects. */
  async #enter(started: StartedTask): Promise<TaskOutcome> {
    try {
      const { dagId, taskId } = started.key;
      const { resume, event, versionHash } = started;
      const records = [...started.steps];
      const hop = resume?.hop ?? 0;
      if (resume?.replay && event) {
        // The event that ended `context.defer` is the result of its step, also for a retry.
        const { sequence, name } = resume.replay;
        const record = { hop, sequence, name, value: event.payload };
        await this.#taskApi.putStep(this.#handOff, record);
        records.push(record);
      }
      const save = (record: (typeof records)[number]) => this.#taskApi.putStep(this.#handOff, record);
      const replay = new Replay({ taskId, hop, records, save });
      const context = taskContext({
        taskApi: this.#taskApi,
        handOff: this.#handOff,
        started,
        replay,
        xcom: this.#xcom,
        log: this.#log.logger,
        masker: this.#masker,
        signal: this.#abort.signal,
        now: this.#clock,
      });
      const loaded = await this.#options.loadTask({ file: started.dagFile, dagId, taskId, versionHash });
      const operator = bindArgs(loaded, await render(loaded.args, context));
      this.#abort.signal.throwIfAborted();
      this.#view = { operator, context };
      return await enterOperator({ operator, context, replay, resume, event });
    } catch (error) {
      return { type: 'failed', error };
    }
  }

  #interrupt(interruption: Interruption): void {
    const isFinal = this.#interruption?.type === 'stale' || this.#interruption?.type === 'shutdown';
    const isStronger = interruption.type === 'stale' || interruption.type === 'shutdown';
    if (isFinal || ((this.#interruption || this.#isCodeOver) && !isStronger)) return;
    this.#interruption = interruption;
    // Nothing to abort; and what the code left behind would throw where nobody catches it.
    if (this.#isCodeOver) return;
    this.#interrupted.resolve(null);
    const { taskId } = this.#workload.key;
    this.#abort.abort(
      interruption.type === 'stop'
        ? new TaskAbortedError(taskId, `it was asked to stop (${interruption.reason})`)
        : interruption.error,
    );
  }

  /** Asks the code to end, and answers whether it did in time. */
  async #windDown(entered: Promise<TaskOutcome>): Promise<boolean> {
    const interruption = this.#interruption!;
    const graceMs = interruption.type === 'stop' ? interruption.graceMs : this.#graceMs(interruption);
    const pause = Promise.withResolvers<false>();
    const timer = setTimeout(pause.resolve, graceMs, false);
    const ended = Promise.all([entered, this.#kill(interruption)]).then(() => true);
    const isCodeOver = await Promise.race([ended, pause.promise]);
    clearTimeout(timer);
    return isCodeOver;
  }

  #graceMs(interruption: Interruption): number {
    return interruption.type === 'timeout'
      ? (this.#options.timeoutGraceMs ?? DEFAULT_TIMEOUT_GRACE_MS)
      : ABANDON_GRACE_MS;
  }

  async #kill(interruption: Interruption): Promise<void> {
    // Who was overtaken must not touch the outside work any more: it may be the successor's.
    if (!this.#view || interruption.type === 'stale' || interruption.type === 'stray') return;
    const reason =
      interruption.type === 'stop' ? interruption.reason : interruption.type === 'timeout' ? 'timeout' : 'stop';
    try {
      await this.#view.operator.onKill(this.#view.context, reason);
    } catch (error) {
      this.#log.write('warning', `onKill failed: ${serializeError(error).stack ?? String(error)}`);
    }
  }

  #interruptedOutcome(interruption: Interruption): TaskOutcome | { readonly type: 'stopped' } {
    if (interruption.type !== 'stop') return { type: 'failed', error: interruption.error };
    this.#log.write('warning', `The task was stopped (${interruption.reason}).`);
    return { type: 'stopped' };
  }

  /** Tells the platform, and answers what was told. */
  async #report(outcome: TaskOutcome | { readonly type: 'stopped' }): Promise<TaskEnd['type']> {
    try {
      await this.#reportOnce(outcome);
      return outcome.type;
    } catch (error) {
      if (this.#interruption?.type === 'stale') return 'abandoned';
      // A deferral that does not resolve, a result that is too large: then that is how the task failed.
      const isRefused = outcome.type !== 'failed' && outcome.type !== 'stopped' && !isTransientError(error);
      if (!isRefused) throw error;
      return this.#report({ type: 'failed', error });
    }
  }

  async #reportOnce(outcome: TaskOutcome | { readonly type: 'stopped' }): Promise<void> {
    const [api, handOff] = [this.#taskApi, this.#handOff];
    switch (outcome.type) {
      case 'success':
        return this.#finish({ state: 'success', result: await this.#xcom.fit(RETURN_VALUE, outcome.result) });
      case 'failed': {
        const error = this.#masker.maskError(serializeError(outcome.error));
        this.#log.write('error', error.stack ?? `${error.name}: ${error.message}`);
        return this.#finish({ state: 'failed', error });
      }
      case 'skipped':
        return this.#finish({ state: 'skipped', reason: this.#masker.mask(outcome.reason) });
      case 'stopped':
        return this.#finish({ state: 'stopped' });
      case 'rescheduled': {
        const request = { at: outcome.at.toISOString(), resume: outcome.resume };
        return this.#tell(() => api.reschedule(handOff, request));
      }
      case 'deferred': {
        const target = outcome.trigger.constructor as TriggerClass;
        await this.#options.assertResolvesTo?.(outcome.deferral.trigger.classpath, target);
        return this.#tell(() => api.defer(handOff, outcome.deferral));
      }
    }
  }

  #finish(report: FinishReport): Promise<void> {
    return this.#tell(() => this.#taskApi.finish(this.#handOff, report));
  }

  #tell(send: () => Promise<void>): Promise<void> {
    return tell(this.#workload.id, this.#log, send);
  }

  #followSignal(): void {
    const { signal } = this.#options;
    if (!signal) return;
    const onAbort = () => {
      const error = new TaskAbortedError(this.#workload.key.taskId, 'its worker is to end', { cause: signal.reason });
      this.#interrupt({ type: 'shutdown', error });
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    this.#releases.push(() => signal.removeEventListener('abort', onAbort));
  }

  #late(leftMs: number): ExecutionTimeoutError {
    const timeoutMs = this.#view?.operator.options.executionTimeoutMs ?? leftMs;
    return new ExecutionTimeoutError(this.#workload.key.taskId, timeoutMs);
  }

  /** The same API; whichever call learns that the hand-off is over ends the task. */
  #watchingEpoch(taskApi: TaskApi): TaskApi {
    return new Proxy(taskApi, {
      get: (target, name) => {
        const method = (target as unknown as Record<string | symbol, unknown>)[name];
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          try {
            return await method.apply(target, args);
          } catch (error) {
            if (StaleEpochError.isInstance(error)) this.#interrupt({ type: 'stale', error });
            throw error;
          }
        };
      },
    });
  }
}
