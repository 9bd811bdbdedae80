import {
  type CallbackHandOff,
  Connection,
  ConnectionNotFoundError,
  type Logger,
  type RunContext,
  type RunStatesQuery,
  type StartedTask,
  type TaskApi,
  type TaskHandOff,
  VariableNotFoundError,
  type XComReader,
} from '@windhover/core';
import { connectionSecrets, isSensitiveName, type Masker } from './masker.ts';

export interface RunContextParts {
  readonly taskApi: TaskApi;
  readonly handOff: TaskHandOff | CallbackHandOff;
  readonly run: { readonly dagId: string; readonly runId: string };
  readonly facts: Pick<StartedTask, 'versionHash' | 'logicalDate' | 'dataInterval' | 'runType' | 'params' | 'conf'>;
  readonly xcom: XComReader;
  readonly log: Logger;
  readonly masker: Masker;
  readonly signal: AbortSignal;
  /** The database's clock. */
  now(): Date;
}

/** What tasks and callbacks have in common: everything they ask goes to the platform under their hand-off. */
export function runContext(parts: RunContextParts): RunContext {
  const { taskApi, handOff, run, facts, xcom, log, masker, signal, now } = parts;
  return {
    dagId: run.dagId,
    runId: run.runId,
    versionHash: facts.versionHash,
    logicalDate: new Date(facts.logicalDate),
    dataInterval: { start: new Date(facts.dataInterval.start), end: new Date(facts.dataInterval.end) },
    runType: facts.runType,
    params: facts.params,
    conf: facts.conf,
    log,
    signal,
    now,
    // An arrow: code may take it out of the context.
    xcom: { pull: (taskId, options) => xcom.pull(taskId, options) },
    async connection(connId) {
      const fields = await taskApi.connection(handOff, connId);
      if (!fields) throw new ConnectionNotFoundError(connId);
      masker.add(connectionSecrets(fields));
      return new Connection(connId, fields);
    },
    async variable(key) {
      const value = await taskApi.variable(handOff, key);
      if (value === null) throw new VariableNotFoundError(key);
      if (isSensitiveName(key)) masker.add([value]);
      return value;
    },
    sendSignal: (key, value, options = {}) => taskApi.sendSignal(handOff, key, value, options),
    async runStates(query) {
      const answers = await taskApi.runStates(handOff, runStatesRequest(query));
      return answers.map((answer) => ({ ...answer, logicalDate: new Date(answer.logicalDate) }));
    },
  };
}

function runStatesRequest(query: RunStatesQuery) {
  const { logicalDates, ...rest } = query;
  return { ...rest, ...(logicalDates && { logicalDates: logicalDates.map((date) => date.toISOString()) }) };
}
