import { type Json, resolveParams, type StartedCallback, type StartedTask, type StepRecord } from '@windhover/core';
import type { DagVersions } from '../dags/dag-versions.ts';
import type { Queryable } from '../store/database.ts';
import { getRunFacts } from '../store/run-facts.ts';
import { getSteps, type StoredStep } from '../store/task-history.ts';
import { type Cipher, NEXT_PURPOSE } from '../task-instances/change-writer.ts';
import type { RunFacts, TaskInstanceRow } from '../task-instances/task-instance-row.ts';

export interface StartedTaskSource {
  readonly database: Queryable;
  readonly versions: DagVersions;
  readonly cipher: Cipher;
}

/** All that a worker needs to know to begin or to go on. The token is the transport's business. */
export async function startedTask(
  source: StartedTaskSource,
  row: TaskInstanceRow & RunFacts,
  now: Date,
): Promise<Omit<StartedTask, 'heartbeatIntervalMs'>> {
  const { cipher } = source;
  const next = row.nextKwargs
    ? (cipher.decrypt(row.nextKwargs, NEXT_PURPOSE) as unknown as Pick<StartedTask, 'resume' | 'event'>)
    : { resume: null, event: null };
  const hasSteps = row.tryNumber > 1 || row.nextMethod !== null;
  const { dagFile, facts } = await runFactsOf(source, row.dagRunId);
  return {
    token: '',
    key: { dagId: row.dagId, runId: row.runId, taskId: row.taskId, mapIndex: row.mapIndex },
    dagFile,
    ...facts,
    tryNumber: row.tryNumber,
    attempt: row.attempt,
    sensorStartedAt: (row.sensorStartedAt ?? now).toISOString(),
    signals: {},
    deadlineAt: row.deadlineAt?.toISOString() ?? null,
    now: now.toISOString(),
    resume: next.resume,
    event: next.event,
    steps: hasSteps ? await readSteps(source, row.id) : [],
  };
}

/** What tasks and callbacks are told of their run. Secrets are masked as they are handed out, so none is known yet. */
export async function runFactsOf(
  { database, versions }: StartedTaskSource,
  dagRunId: number,
): Promise<{
  readonly dagId: string;
  readonly runId: string;
  readonly dagFile: string;
  readonly facts: Omit<StartedCallback['facts'], 'tryNumber' | 'attempt' | 'now' | 'sensorStartedAt' | 'signals'>;
}> {
  const { dagId, runId, versionId, dagFile, logicalDate, intervalStart, intervalEnd, runType, conf } =
    await getRunFacts(database, dagRunId);
  const version = await versions.getOrLoad(database, versionId);
  return {
    dagId,
    runId,
    dagFile,
    facts: {
      versionHash: version.hash,
      logicalDate: logicalDate.toISOString(),
      dataInterval: { start: intervalStart.toISOString(), end: intervalEnd.toISOString() },
      runType,
      params: resolveParams(dagId, version.dag.params, conf),
      conf,
      secretsToMask: [],
    },
  };
}

export async function readSteps(
  { database, cipher }: Pick<StartedTaskSource, 'database' | 'cipher'>,
  taskInstanceId: number,
): Promise<readonly StepRecord[]> {
  return (await getSteps(database, taskInstanceId)).map(({ value, ...step }) => {
    const [opened] = cipher.decrypt(value, STEP_PURPOSE) as Json[];
    return opened === undefined ? step : { ...step, value: opened };
  });
}

/** A step's value in a list, so that a step without one can be told from one with null. */
export function sealStep(cipher: Cipher, { value, ...step }: StepRecord): StoredStep {
  return { ...step, value: cipher.encrypt(value === undefined ? [] : [value], STEP_PURPOSE) };
}

const STEP_PURPOSE = 'task_step.value';
