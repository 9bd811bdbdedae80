import {
  Connection,
  type ConnectionFields,
  connectionVariable,
  DEFAULT_NAMESPACE,
  formatRunId,
  type Json,
  type ListenSignalAnswer,
  type ListenSignalRequest,
  RETURN_VALUE,
  type RunStatesRequest,
  type SendSignalOptions,
  type SerializedDagRun,
  type SerializedRunStates,
  type SignalVersion,
  type StartedTask,
  type TriggerDagRunRequest,
  type XComQuery,
  type XComValue,
} from '@windhover/core';
import { MemorySignalService } from '@windhover/core/testing';
import type { TaskInstanceRow } from '@windhover/platform';
import type { MemoryRun } from './memory-run.ts';

export interface MemoryServicesOptions {
  readonly run: MemoryRun;
  /** Has connections and variables: there is no database to ask. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tells where this test differs from the platform. */
  note(taskId: string | null, message: string): void;
}

/** What running tasks and waiting triggers are both answered. */
export class MemoryServices {
  readonly #options: MemoryServicesOptions;
  readonly #signals = new MemorySignalService();
  readonly #triggeredRuns = new Map<string, SerializedDagRun>();
  #lastOffset = '0';
  #listeners = 0;

  constructor(options: MemoryServicesOptions) {
    this.#options = options;
  }

  note(taskId: string | null, message: string): void {
    this.#options.note(taskId, message);
  }

  /** What all code of the run is told. */
  runFacts(): Pick<StartedTask, RunFact> {
    const { version, dagFile, logicalDate, conf, params } = this.#options.run.facts;
    const date = logicalDate.toISOString();
    return {
      dagFile,
      versionHash: version.hash,
      logicalDate: date,
      dataInterval: { start: date, end: date },
      runType: 'manual',
      params,
      conf,
      signals: {},
      secretsToMask: [],
    };
  }

  /** What a task's code is told besides, on a worker and in a triggerer. */
  taskFacts({ taskId, mapIndex, tryNumber, attempt }: TaskInstanceRow): Pick<StartedTask, RunFact | TaskFact> {
    const { version, runId } = this.#options.run.facts;
    return { ...this.runFacts(), key: { dagId: version.dag.dagId, runId, taskId, mapIndex }, tryNumber, attempt };
  }

  connection(taskId: string | null, connId: string): ConnectionFields | null {
    const name = connectionVariable(connId);
    const uri = this.#options.env[name];
    if (uri) return Connection.fromUri(connId, uri).toFields();
    this.#noteMissing(taskId, `connection "${connId}"`, `${name}='<type>://<login>:<password>@<host>:<port>'`);
    return null;
  }

  variable(taskId: string | null, key: string): string | null {
    const name = variableVariable(key);
    const value = this.#options.env[name];
    if (value !== undefined) return value;
    this.#noteMissing(taskId, `variable "${key}"`, `${name}='<value>'`);
    return null;
  }

  xcom(taskId: string | null, query: XComQuery): XComValue {
    const { run } = this.#options;
    const { dagId } = run.facts.version.dag;
    const isOwnRun = (query.dagId ?? dagId) === dagId && (query.runId ?? run.facts.runId) === run.facts.runId;
    const found = isOwnRun ? run.xcom(query.taskId, query.key) : ({ type: 'none' } as const);
    if (found.type === 'none' && isOwnRun && !run.rows.has(query.taskId)) this.#noteNoResult(taskId, query);
    return found;
  }

  /** There is only this run, and those its tasks asked for, which never begin. */
  runStates(request: RunStatesRequest): readonly SerializedRunStates[] {
    const { facts, rows } = this.#options.run;
    const isAsked = ({ taskId }: TaskInstanceRow) =>
      request.taskIds?.includes(taskId) || (request.taskGroupId && taskId.startsWith(`${request.taskGroupId}.`));
    const tasks = Object.fromEntries(
      [...rows.values()].filter(isAsked).map(({ taskId, state }) => [taskId, state] as const),
    );
    const own = { dagId: facts.version.dag.dagId, runId: facts.runId, logicalDate: facts.logicalDate.toISOString() };
    const isWanted = ({ dagId, runId, logicalDate }: SerializedDagRun) => {
      const isOpen = !request.runIds && !request.logicalDates;
      const isNamed = request.runIds?.includes(runId) || request.logicalDates?.includes(logicalDate);
      return dagId === request.dagId && (isOpen || isNamed);
    };
    return [
      { ...own, state: 'running' as const, tasks },
      ...[...this.#triggeredRuns.values()].map((run) => ({ ...run, state: 'queued' as const, tasks: {} })),
    ]
      .filter(isWanted)
      .map(({ runId, logicalDate, state, tasks }) => ({ runId, logicalDate, state, tasks }));
  }

  triggerDagRun(taskId: string, dagId: string, request: TriggerDagRunRequest): SerializedDagRun {
    const known = this.#triggeredRuns.get(request.dedupeKey);
    if (known) return known;
    const logicalDate = new Date(request.logicalDate ?? Date.now());
    const run = { dagId, runId: formatRunId('manual', logicalDate), logicalDate: logicalDate.toISOString() };
    this.#triggeredRuns.set(request.dedupeKey, run);
    this.#options.note(
      taskId,
      `Started a run of "${dagId}" with conf ${JSON.stringify(request.conf)}; in a test it stays queued.`,
    );
    return run;
  }

  async sendSignal(
    sender: string,
    key: string,
    value: Json,
    { scope, ...options }: SendSignalOptions,
  ): Promise<SignalVersion> {
    const { runId, version } = this.#options.run.facts;
    const own = { dagId: version.dag.dagId, runId };
    const sent = await this.#signals.sendSignal(key, value, { sender, scope: scope ?? own, ...options });
    if (BigInt(sent.offset) > BigInt(this.#lastOffset)) this.#lastOffset = sent.offset;
    return sent;
  }

  /** Waits until there is one, or for `waitMs`. */
  async listenSignal({ keys, namespace, sinceOffset, waitMs }: ListenSignalRequest): Promise<ListenSignalAnswer> {
    const begin = sinceOffset ?? this.#lastOffset;
    const found = Promise.withResolvers<readonly SignalVersion[]>();
    const timer = setTimeout(found.resolve, waitMs, []);
    this.#listeners += 1;
    const listener = await this.#signals.listenSignal(
      `listener ${this.#listeners}`,
      keys,
      { process: found.resolve },
      { namespace: namespace || DEFAULT_NAMESPACE, sinceOffset: begin },
    );
    const signals = await found.promise;
    clearTimeout(timer);
    await listener.close();
    return { signals, offset: signals.at(-1)?.offset ?? begin };
  }

  #noteNoResult(taskId: string | null, query: XComQuery): void {
    const place = query.key === RETURN_VALUE ? query.taskId : `${query.taskId}/${query.key}`;
    const isKnown = this.#options.run.facts.taskIds.has(query.taskId);
    this.#options.note(
      taskId,
      isKnown
        ? `Task "${query.taskId}" is not run here. Give what it left: --xcom ${place}='<json>'`
        : `It asks for what "${query.taskId}" has left, but the DAG has no such task.`,
    );
  }

  #noteMissing(taskId: string | null, thing: string, variable: string): void {
    this.#options.note(taskId, `A test has no database. Give it the ${thing} in the environment: ${variable}`);
  }
}

type RunFact =
  | 'dagFile'
  | 'versionHash'
  | 'logicalDate'
  | 'dataInterval'
  | 'runType'
  | 'params'
  | 'conf'
  | 'signals'
  | 'secretsToMask';
type TaskFact = 'key' | 'tryNumber' | 'attempt';

/** The environment variable that defines a variable in a test: `WINDHOVER_VAR_REGION`. */
export function variableVariable(key: string): string {
  return `WINDHOVER_VAR_${key.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}
