import { Connection, type ConnectionFields } from '../connection/connection.ts';
import { ConnectionNotFoundError } from '../connection/connection-not-found-error.ts';
import type { Context, RunStates, RunStatesQuery, TriggerContext } from '../context/context.ts';
import type { Replay } from '../context/replay.ts';
import { Dag } from '../dag/dag.ts';
import { resolveParams } from '../dag/params.ts';
import { type Duration, durationMs } from '../duration.ts';
import type { Json } from '../json.ts';
import type { Logger, LogLevel, LogRecord } from '../log/logger.ts';
import { type BaseOperator, bindArgs } from '../operator/base-operator.ts';
import { deserialize } from '../serde/deserialize.ts';
import { serialize } from '../serde/serialize.ts';
import type { SignalVersion } from '../signal/signal.ts';
import type { SignalService } from '../signal/signal-service.ts';
import { applyRendered, render } from '../template/render.ts';
import { type PollHost, poll } from '../trigger/poll.ts';
import type { LoadedTask, TaskReference, TriggerScope } from '../trigger/trigger-scope.ts';
import { VariableNotFoundError } from '../variable/variable-not-found-error.ts';
import { RETURN_VALUE } from '../xcom/xcom-backend.ts';
import { MemorySignalService } from './memory-signal-service.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The world a test gives to an operator or a trigger. */
export interface TestHostOptions {
  /** By id; a text is a URI. Default: none. */
  readonly connections?: Readonly<Record<string, ConnectionFields | string>>;
  /** Default: none. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The conf of the run; a DAG's params take their values from it. Default: {}. */
  readonly conf?: Readonly<Record<string, Json>>;
  /** Results of other tasks, by task id. Default: none. */
  readonly xcoms?: Readonly<Record<string, unknown>>;
  /** Default: a new one at 2026-01-01. */
  readonly clock?: VirtualClock;
  /** Default: 2026-01-01, for one day. */
  readonly logicalDate?: Date;
  /** Answers `context.runStates`. Default: no runs. */
  readonly runStates?: (query: RunStatesQuery) => readonly RunStates[] | Promise<readonly RunStates[]>;
  /** Default: a new one. */
  readonly signalService?: SignalService;
}

/** Keeps what a run leaves behind, and makes the contexts and scopes of a virtual worker and triggerer. */
export class TestHost {
  readonly clock: VirtualClock;
  readonly signalService: SignalService;
  readonly log: LogRecord[] = [];
  /** By task id and key. */
  readonly xcoms = new Map<string, Json>();
  readonly sentSignals: SignalVersion[] = [];
  readonly skippedTaskIds: string[] = [];
  readonly dagRuns: { readonly dagId: string; readonly conf: Readonly<Record<string, Json>> }[] = [];
  readonly polls: { readonly at: Date; readonly outcome: 'found' | 'nothing' | 'failure' }[] = [];
  readonly startedAt: Date;
  readonly #options: TestHostOptions;
  readonly #shared = new Map<string, { readonly until: number; readonly value: Promise<unknown> }>();

  constructor(options: TestHostOptions = {}) {
    this.#options = options;
    this.clock = options.clock ?? new VirtualClock();
    this.signalService = options.signalService ?? new MemorySignalService();
    this.startedAt = this.clock.now();
    for (const [taskId, value] of Object.entries(options.xcoms ?? {})) {
      this.xcoms.set(xcomName(taskId, RETURN_VALUE), serialize(value, `xcoms.${taskId}`));
    }
  }

  triggerContext(operator: BaseOperator<any, any>, run: TaskRunFacts): TriggerContext {
    const { conf = {}, logicalDate = new Date('2026-01-01T00:00:00.000Z') } = this.#options;
    const dag = Dag.isInstance(operator.owner) ? operator.owner : undefined;
    return {
      dagId: dag?.dagId ?? 'test_dag',
      runId: `manual__${logicalDate.toISOString()}`,
      taskId: operator.taskId,
      mapIndex: -1,
      versionHash: 'test',
      tryNumber: run.tryNumber,
      attempt: 1,
      logicalDate,
      dataInterval: { start: logicalDate, end: new Date(logicalDate.getTime() + 86_400_000) },
      runType: 'manual',
      params: dag ? resolveParams(dag.dagId, dag.params, conf) : conf,
      conf,
      log: this.logger(),
      signal: run.signal,
      sensorStartedAt: this.startedAt,
      signals: {},
      now: () => this.clock.now(),
      connection: (connId) => this.connection(connId),
      variable: (key) => this.variable(key),
      xcom: this.#xcomReader(),
      sendSignal: (key, value, options) => this.#send(key, value, { sender: operator.taskId, ...options }),
      runStates: async (query) => (await this.#options.runStates?.(query)) ?? [],
    };
  }

  context(operator: BaseOperator<any, any>, run: TaskRunFacts, replay: Replay): Context {
    const sleep = this.#sleeper(run.signal);
    return {
      ...this.triggerContext(operator, run),
      xcom: {
        ...this.#xcomReader(),
        push: async (key, value) => this.putXCom(operator.taskId, key, serialize(value, `xcom "${key}"`)),
      },
      sleep,
      poll: (check, options) => poll(check, options, { sleep, now: () => this.clock.now(), log: this.logger() }),
      step: (name, step) => replay.step(name, step),
      defer: (name, trigger, options) => replay.defer(name, trigger, options),
      skipDownstream: async (taskIds) => void this.skippedTaskIds.push(...taskIds),
      triggerDagRun: async (dagId, { conf = {}, logicalDate = this.clock.now() } = {}) => {
        this.dagRuns.push({ dagId, conf });
        return { dagId, runId: `manual__${logicalDate.toISOString()}`, logicalDate };
      },
    };
  }

  scope(facts: TriggerFacts): TriggerScope {
    const { signal, checkpoint, createdAt } = facts;
    const sleep = this.#sleeper(signal);
    const host: PollHost = {
      now: () => this.clock.now(),
      sleep,
      log: this.logger(),
      onPoll: (outcome) => this.polls.push({ at: this.clock.now(), outcome }),
    };
    return {
      signal,
      createdAt,
      log: host.log,
      checkpoint: {
        load: <T>() => (checkpoint.value === undefined ? undefined : deserialize<T>(checkpoint.value)),
        save: async (value) => {
          checkpoint.value = serialize(value, 'checkpoint');
        },
      },
      xcom: this.#xcomReader(),
      now: () => this.clock.now(),
      sleep,
      poll: (check, options) => poll(check, options, host),
      connection: (connId) => this.connection(connId),
      variable: (key) => this.variable(key),
      shared: (key, ttlMs, fetch) => this.#sharedFetch(key, ttlMs, fetch),
      runInThread: () => Promise.reject(new Error('runInThread needs a real triggerer; pass a fake scope to test it.')),
      runStates: async (query) => (await this.#options.runStates?.(query)) ?? [],
      sendSignal: (key, value, options) => this.#send(key, value, { sender: 'trigger', ...options }),
      listenSignal: (keys, options) => this.#listen(keys, signal, options),
      loadTask: (reference) => this.#loadTask(facts, reference),
    };
  }

  logger(): Logger {
    const write = (level: LogLevel) => (message: string, fields?: Readonly<Record<string, Json>>) =>
      void this.log.push({ at: this.clock.now().toISOString(), level, message, ...(fields ? { fields } : {}) });
    return { debug: write('debug'), info: write('info'), warning: write('warning'), error: write('error') };
  }

  putXCom(taskId: string, key: string, value: Json): void {
    this.xcoms.set(xcomName(taskId, key), value);
  }

  async connection(connId: string): Promise<Connection> {
    const given = this.#options.connections?.[connId];
    if (given === undefined) throw new ConnectionNotFoundError(connId);
    return typeof given === 'string' ? Connection.fromUri(connId, given) : new Connection(connId, given);
  }

  async variable(key: string): Promise<string> {
    const value = this.#options.variables?.[key];
    if (value === undefined) throw new VariableNotFoundError(key);
    return value;
  }

  #sleeper(signal: AbortSignal): (duration: Duration | number) => Promise<void> {
    return (duration) => this.clock.sleep(typeof duration === 'number' ? duration : durationMs(duration), signal);
  }

  async #send(...args: Parameters<SignalService['sendSignal']>): Promise<SignalVersion> {
    const signal = await this.signalService.sendSignal(...args);
    this.sentSignals.push(signal);
    return signal;
  }

  #xcomReader(): TriggerContext['xcom'] {
    return {
      pull: async <T>(taskId: string, { key = RETURN_VALUE } = {}) => {
        const value = this.xcoms.get(xcomName(taskId, key));
        return value === undefined ? undefined : deserialize<T>(value);
      },
    };
  }

  async #sharedFetch<T>(key: string, ttlMs: number, fetch: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const now = this.clock.now().getTime();
    const known = this.#shared.get(key);
    if (known && known.until > now) return known.value as Promise<T>;
    const value = fetch(new AbortController().signal);
    this.#shared.set(key, { until: now + ttlMs, value });
    value.catch(() => this.#shared.delete(key));
    return value;
  }

  async *#listen(
    keys: string | readonly string[],
    signal: AbortSignal,
    options: { namespace?: string; sinceOffset?: string } = {},
  ) {
    const waiting: SignalVersion[] = [];
    let wake = Promise.withResolvers<void>();
    const process = (signals: readonly SignalVersion[]) => {
      waiting.push(...signals);
      wake.resolve();
    };
    const name = `trigger ${crypto.randomUUID()}`;
    const listener = await this.signalService.listenSignal(name, keys, { process }, options);
    try {
      while (!signal.aborted) {
        yield* waiting.splice(0);
        wake = Promise.withResolvers<void>();
        // Sleeping without end lets virtual time pass while the trigger waits for a signal.
        const idle = new AbortController();
        await Promise.race([
          wake.promise,
          this.clock.sleep(Number.POSITIVE_INFINITY, AbortSignal.any([signal, idle.signal])),
        ]).catch(() => {});
        idle.abort();
      }
    } finally {
      await listener.close();
    }
  }

  /** The task comes from its DAG file there; here it is the operator under test, rendered anew. */
  async #loadTask(facts: TriggerFacts, reference: TaskReference): Promise<LoadedTask> {
    if (!facts.operator)
      throw new Error(`The trigger asks for task "${reference.taskId}". Run its operator with runOperator.`);
    const context = this.triggerContext(facts.operator, { tryNumber: facts.tryNumber, signal: facts.signal });
    const args = applyRendered(facts.operator.args, reference.rendered);
    return { operator: bindArgs(facts.operator, await render(args, context)), context };
  }
}

export interface TaskRunFacts {
  readonly tryNumber: number;
  readonly signal: AbortSignal;
}

export interface TriggerFacts extends TaskRunFacts {
  /** The operator that waits; undefined where a trigger is tested alone. */
  readonly operator: BaseOperator<any, any> | undefined;
  readonly createdAt: Date;
  /** Survives a restart of the trigger. */
  readonly checkpoint: { value: Json | undefined };
}

function xcomName(taskId: string, key: string): string {
  return `${taskId}/${key}`;
}
