import { Replay, type StepRecord } from '../context/replay.ts';
import type { Duration } from '../duration.ts';
import { durationMs } from '../duration.ts';
import type { Json } from '../json.ts';
import type { LogRecord } from '../log/logger.ts';
import { type BaseOperator, bindArgs } from '../operator/base-operator.ts';
import { DeferralTimeoutError } from '../operator/deferral-timeout-error.ts';
import { enterOperator, FIRST_ENTRY, type TaskOutcome } from '../operator/enter-operator.ts';
import { ExecutionTimeoutError } from '../operator/execution-timeout-error.ts';
import {
  type SerializedDeferral,
  type SerializedEvent,
  type SerializedResume,
  serializeTrigger,
} from '../operator/serialized-deferral.ts';
import { TaskFailed } from '../operator/task-failed.ts';
import { deserialize } from '../serde/deserialize.ts';
import type { SignalVersion } from '../signal/signal.ts';
import { retryDelayAfter } from '../task-instance/retry-policy.ts';
import { render } from '../template/render.ts';
import { TaskStartTrigger } from '../trigger/task-start-trigger.ts';
import type { KillReason } from '../trigger/trigger-scope.ts';
import { type SerializedError, serializeError } from '../windhover-error.ts';
import { RETURN_VALUE } from '../xcom/xcom-backend.ts';
import type { XComValue } from '../xcom/xcom-value.ts';
import { runTrigger, type TriggerClass } from './run-trigger.ts';
import { TestHost, type TestHostOptions } from './test-host.ts';

export interface RunOperatorOptions extends TestHostOptions {
  /** Kills the task, as a user would, when it has waited so long. Default: never. */
  readonly killAfter?: Duration;
  /** Restarts the triggerer each time so much time has passed. Default: never. */
  readonly restartTriggerEvery?: Duration;
  /** Loses the worker once, just before its first deferral is stored; the task is then tried again. Default: false. */
  readonly loseWorkerBeforeDefer?: boolean;
  /** How long the test may take in real time. Default: 10 seconds. */
  readonly realTimeout?: Duration;
}

/** What became of a task, and what it left behind. */
export interface OperatorRun<Result> {
  readonly state: 'success' | 'failed' | 'skipped';
  /** Undefined unless it succeeded. */
  readonly result: Result | undefined;
  readonly error: SerializedError | undefined;
  readonly tries: number;
  /** Virtual time from the first start to the end. */
  readonly elapsedMs: number;
  readonly deferrals: readonly OperatorDeferral[];
  readonly log: readonly LogRecord[];
  readonly xcoms: ReadonlyMap<string, Json>;
  readonly signals: readonly SignalVersion[];
  readonly skippedTaskIds: readonly string[];
  readonly dagRuns: TestHost['dagRuns'];
  /** What triggers saw when they looked. */
  readonly polls: TestHost['polls'];
}

export interface OperatorDeferral extends SerializedDeferral {
  readonly at: Date;
  /** How the wait ended. */
  readonly end: 'event' | 'success' | 'skipped' | 'failed' | 'deferred' | 'killed';
}

/**
 * Runs an operator through its whole life in this process: execute, defer, serialize, a new trigger from the serialized
 * form, event, serialized again, resume; with retries, timeouts and restarts, on a virtual clock.
 *
 * ```ts
 * const { state, result, elapsedMs } = await runOperator(new AcmeOperator({ taskId: 'acme' }), {
 *   connections: { acme_default: 'acme://token:secret@localhost:8080' },
 * });
 * ```
 */
export async function runOperator<Result>(
  operator: BaseOperator<Result, any>,
  options: RunOperatorOptions = {},
): Promise<OperatorRun<Awaited<Result>>> {
  const life = new TaskLife(operator, options);
  const limit = Promise.withResolvers<never>();
  const limitMs = durationMs(options.realTimeout ?? '10s');
  const timer = setTimeout(
    () =>
      limit.reject(
        new Error(
          `Task "${operator.taskId}" made no progress for ${limitMs} ms of real time. It waits for something that is ` +
            'neither scope.sleep nor an answer that comes; pass realTimeout if it needs longer.',
        ),
      ),
    limitMs,
  );
  try {
    return (await Promise.race([life.run(), limit.promise])) as OperatorRun<Awaited<Result>>;
  } finally {
    clearTimeout(timer);
  }
}

type Ending =
  | { readonly state: 'success'; readonly result: XComValue }
  | { readonly state: 'skipped' }
  | { readonly state: 'failed'; readonly error: unknown };
type Next = { readonly resume: SerializedResume | null; readonly event: SerializedEvent | null };

class TaskLife {
  readonly #operator: BaseOperator<any, any>;
  readonly #options: RunOperatorOptions;
  readonly #host: TestHost;
  readonly #deferrals: OperatorDeferral[] = [];
  #steps: StepRecord[] = [];
  #tries = 0;
  #canLoseWorker: boolean;
  #deadlineAt: Date | undefined;

  constructor(operator: BaseOperator<any, any>, options: RunOperatorOptions) {
    this.#operator = operator;
    this.#options = options;
    this.#host = new TestHost(options);
    this.#canLoseWorker = options.loseWorkerBeforeDefer ?? false;
  }

  async run(): Promise<OperatorRun<unknown>> {
    const { options, taskId } = this.#operator;
    for (;;) {
      this.#tries += 1;
      const end = await this.#tryOnce();
      if (end.state === 'failed') {
        const { isRetryable = true, dropsSteps = false } = serializeError(end.error);
        if (dropsSteps) this.#steps = [];
        const delayMs = retryDelayAfter(options, { tryNumber: this.#tries, isRetryable });
        if (delayMs !== null) {
          await this.#host.clock.sleep(delayMs);
          continue;
        }
      }
      if (end.state === 'success' && end.result.type === 'value')
        this.#host.putXCom(taskId, RETURN_VALUE, end.result.value);
      return this.#report(end);
    }
  }

  async #tryOnce(): Promise<Ending> {
    const { executionTimeoutMs, startFromTrigger } = this.#operator.options;
    const startedAt = this.#host.clock.now().getTime();
    this.#deadlineAt = executionTimeoutMs === null ? undefined : new Date(startedAt + executionTimeoutMs);
    let next: Next | Ending = startFromTrigger ? await this.#startFromTrigger() : { resume: null, event: null };
    while (!('state' in next)) {
      const outcome = await this.#enter(next);
      if (outcome.type === 'deferred' && this.#canLoseWorker) {
        this.#canLoseWorker = false;
        next = { resume: null, event: null };
      } else {
        next = await this.#follow(outcome);
      }
    }
    return next;
  }

  async #follow(outcome: TaskOutcome): Promise<Next | Ending> {
    switch (outcome.type) {
      case 'success':
        return { state: 'success', result: outcome.result };
      case 'skipped':
        return { state: 'skipped' };
      case 'failed':
        return { state: 'failed', error: outcome.error };
      case 'rescheduled':
        return this.#sleepUntil(outcome.at, outcome.resume);
      case 'deferred':
        return this.#wait(outcome.trigger.constructor as TriggerClass, outcome.deferral);
    }
  }

  async #enter({ resume, event }: Next): Promise<TaskOutcome> {
    const stop = new AbortController();
    const facts = { tryNumber: this.#tries, signal: stop.signal };
    const hop = resume?.hop ?? 0;
    if (resume?.replay && event)
      this.#save({ hop, sequence: resume.replay.sequence, name: resume.replay.name, value: event.payload });
    const replay = new Replay({
      taskId: this.#operator.taskId,
      hop,
      records: this.#steps,
      save: async (record) => this.#save(record),
    });
    const context = this.#host.context(this.#operator, facts, replay);
    const late = Promise.withResolvers<TaskOutcome>();
    const callOff = this.#deadlineAt
      ? this.#host.clock.at(this.#deadlineAt, () => {
          const error = new ExecutionTimeoutError(this.#operator.taskId, this.#operator.options.executionTimeoutMs!);
          late.resolve({ type: 'failed', error });
          stop.abort(error);
        })
      : () => {};
    try {
      const view = bindArgs(this.#operator, await render(this.#operator.args, context));
      return await Promise.race([enterOperator({ operator: view, context, replay, resume, event }), late.promise]);
    } catch (error) {
      return { type: 'failed', error };
    } finally {
      callOff();
    }
  }

  /** A rescheduled task waits in the database; its execution timeout goes on. */
  async #sleepUntil(at: Date, resume: SerializedResume): Promise<Next | Ending> {
    const { clock } = this.#host;
    const endsAt = this.#deadlineAt && this.#deadlineAt < at ? this.#deadlineAt : at;
    await clock.sleep(endsAt.getTime() - clock.now().getTime());
    if (endsAt === at) return { resume, event: null };
    const { taskId, options } = this.#operator;
    return { state: 'failed', error: new ExecutionTimeoutError(taskId, options.executionTimeoutMs!) };
  }

  #startFromTrigger(): Promise<Next | Ending> {
    const { dagId, versionHash, runId, taskId, mapIndex } = this.#host.triggerContext(this.#operator, {
      tryNumber: this.#tries,
      signal: new AbortController().signal,
    });
    const trigger = new TaskStartTrigger({ dagId, versionHash, runId, taskId, mapIndex, rendered: [] });
    const deferral = {
      trigger: serializeTrigger(trigger),
      resume: FIRST_ENTRY,
      timeoutMs: null,
      onTimeout: 'retry',
    } as const;
    return this.#wait(TaskStartTrigger, deferral);
  }

  async #wait(triggerClass: TriggerClass, deferral: SerializedDeferral): Promise<Next | Ending> {
    const { clock } = this.#host;
    const at = clock.now();
    const stored = JSON.parse(JSON.stringify(deferral)) as SerializedDeferral;
    const deferralEndsAt = stored.timeoutMs === null ? undefined : new Date(at.getTime() + stored.timeoutMs);
    const killedAt = this.#options.killAfter && new Date(at.getTime() + durationMs(this.#options.killAfter));
    const kills: { at: Date; reason: KillReason }[] = [];
    if (deferralEndsAt) kills.push({ at: deferralEndsAt, reason: 'timeout' });
    if (this.#deadlineAt) kills.push({ at: this.#deadlineAt, reason: 'timeout' });
    if (killedAt) kills.push({ at: killedAt, reason: 'user' });
    const restartEvery = this.#options.restartTriggerEvery;
    const end = await runTrigger(triggerClass, stored.trigger, {
      host: this.#host,
      operator: this.#operator,
      tryNumber: this.#tries,
      kills,
      ...(restartEvery ? { restartEvery } : {}),
    });
    this.#deferrals.push({ ...stored, at, end: end.type });
    switch (end.type) {
      case 'event':
        return { resume: stored.resume, event: { payload: JSON.parse(JSON.stringify(end.payload)) as Json } };
      case 'success':
        return { state: 'success', result: end.result };
      case 'deferred':
        return this.#wait(end.triggerClass, end.deferral);
      case 'skipped':
        return { state: 'skipped' };
      case 'failed':
        return { state: 'failed', error: end.error };
      case 'killed':
        return this.#killed(end.reason, stored, deferralEndsAt);
    }
  }

  #killed(reason: KillReason, deferral: SerializedDeferral, deferralEndsAt: Date | undefined): Ending {
    // A kill cancels the outside work, so the next try submits afresh.
    this.#steps = [];
    const { taskId, options } = this.#operator;
    if (reason !== 'timeout') return { state: 'failed', error: new TaskFailed(`The task was killed: ${reason}.`) };
    if (!deferralEndsAt || (this.#deadlineAt && this.#deadlineAt < deferralEndsAt)) {
      return { state: 'failed', error: new ExecutionTimeoutError(taskId, options.executionTimeoutMs!) };
    }
    if (deferral.onTimeout === 'skip') return { state: 'skipped' };
    return {
      state: 'failed',
      error: new DeferralTimeoutError(taskId, deferral.timeoutMs!, deferral.onTimeout === 'retry'),
    };
  }

  #save(record: StepRecord): void {
    const isSame = ({ hop, sequence }: StepRecord) => hop === record.hop && sequence === record.sequence;
    this.#steps = [...this.#steps.filter((each) => !isSame(each)), JSON.parse(JSON.stringify(record)) as StepRecord];
  }

  async #report(end: Ending): Promise<OperatorRun<unknown>> {
    const host = this.#host;
    return {
      state: end.state,
      result: end.state === 'success' && end.result.type === 'value' ? deserialize(end.result.value) : undefined,
      error: end.state === 'failed' ? serializeError(end.error) : undefined,
      tries: this.#tries,
      elapsedMs: host.clock.now().getTime() - host.startedAt.getTime(),
      deferrals: this.#deferrals,
      log: host.log,
      xcoms: host.xcoms,
      signals: host.sentSignals,
      skippedTaskIds: host.skippedTaskIds,
      dagRuns: host.dagRuns,
      polls: host.polls,
    };
  }
}
