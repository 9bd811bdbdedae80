import type { Connection, Health, Job, Pool, Variable } from '../../src/api-client/administration.ts';
import type { Backfill } from '../../src/api-client/backfills.ts';
import type { Dag, DagDetails, DagRun, DagRunDetails, ImportErrorReport } from '../../src/api-client/dags.ts';
import type { TaskAttempt, TaskInstance } from '../../src/api-client/tasks.ts';

// Whole answers of the API, typed, so that a change of the contract shows here.

export const RUN_ID = 'manual__2026-01-01T00:00:00.000Z';

export function dag(changes: Partial<Dag> = {}): Dag {
  return {
    dagId: 'hello',
    file: 'dags/hello.ts',
    versionHash: 'abc',
    isActive: true,
    isPaused: false,
    schedule: { type: 'cron', expression: '0 0 * * *', timezone: 'UTC' },
    scheduleText: 'daily at 00:00',
    nextLogicalDate: '2026-01-02T00:00:00.000Z',
    nextRunAt: '2026-01-03T00:00:00.000Z',
    tags: ['sales'],
    owner: 'ada',
    description: 'says hello',
    taskCount: 2,
    updatedAt: '2026-01-01T00:00:00.000Z',
    lastRun: { runId: RUN_ID, state: 'success', logicalDate: '2026-01-01T00:00:00.000Z' },
    ...changes,
  };
}

export function dagDetails(): DagDetails {
  const common = {
    taskGroupId: null,
    triggerRule: 'all_success',
    retries: 1,
    pool: 'default_pool',
    queue: 'default',
    executor: null,
  };
  return {
    ...dag(),
    tasks: [
      { taskId: 'extract', operatorName: 'ExtractOperator', upstreamTaskIds: [], ...common },
      { taskId: 'load', operatorName: 'LoadOperator', upstreamTaskIds: ['extract'], ...common },
    ],
    params: { region: 'eu' },
    maxActiveRuns: 16,
    maxActiveTasks: 16,
    catchup: false,
    startDate: '2026-01-01T00:00:00.000Z',
    endDate: null,
    doc: null,
  };
}

export function dagRun(changes: Partial<DagRun> = {}): DagRun {
  return {
    dagId: 'hello',
    runId: RUN_ID,
    runType: 'manual',
    state: 'success',
    logicalDate: '2026-01-01T00:00:00.000Z',
    intervalStart: '2026-01-01T00:00:00.000Z',
    intervalEnd: '2026-01-02T00:00:00.000Z',
    conf: {},
    reason: null,
    versionHash: 'abc',
    backfillId: null,
    queuedAt: '2026-01-02T00:00:00.000Z',
    startedAt: '2026-01-02T00:00:01.000Z',
    endedAt: '2026-01-02T00:01:06.000Z',
    ...changes,
  };
}

export function dagRunDetails(changes: Partial<DagRunDetails> = {}): DagRunDetails {
  return { ...dagRun(), tasks: { success: 2 }, ...changes };
}

export function task(changes: Partial<TaskInstance> = {}): TaskInstance {
  return {
    dagId: 'hello',
    runId: RUN_ID,
    taskId: 'extract',
    mapIndex: -1,
    state: 'success',
    tryNumber: 1,
    maxTries: 2,
    attempt: 1,
    operatorName: 'ExtractOperator',
    pool: 'default_pool',
    queue: 'default',
    priorityWeight: 1,
    executor: 'local',
    hostname: 'host-1',
    pid: 42,
    scheduledAt: '2026-01-02T00:00:00.000Z',
    queuedAt: '2026-01-02T00:00:00.000Z',
    startedAt: '2026-01-02T00:00:01.000Z',
    deferredSince: null,
    resumeAt: null,
    deadlineAt: null,
    endedAt: '2026-01-02T00:00:02.000Z',
    runningMs: 1_000,
    queuedMs: 5,
    deferredMs: 65_000,
    error: null,
    requestedAction: null,
    ...changes,
  };
}

export const attempt: TaskAttempt = {
  attempt: 1,
  tryNumber: 1,
  state: 'failed',
  reason: 'it was too dark',
  startedAt: '2026-01-02T00:00:01.000Z',
  endedAt: '2026-01-02T00:00:02.000Z',
  runningMs: 1_000,
  deferredMs: 0,
  error: null,
};

export function backfill(finished: number, changes: Partial<Backfill> = {}): Backfill {
  return {
    id: 7,
    dagId: 'hello',
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-30T00:00:00.000Z',
    isReverse: false,
    reprocess: 'none',
    maxActiveRuns: 10,
    conf: {},
    isPaused: false,
    isCancelled: false,
    createdAt: '2026-02-01T00:00:00.000Z',
    endedAt: finished === 60 ? '2026-02-01T00:10:00.000Z' : null,
    progress: {
      totalDagRuns: 30,
      finishedDagRuns: Math.floor(finished / 2),
      totalTasks: 60,
      finished,
      succeeded: finished,
      skipped: 0,
      failed: 0,
      running: 2,
      deferred: 1,
      queued: 0,
    },
    ...changes,
  };
}

export const pool: Pool = {
  name: 'warehouse',
  slots: 8,
  includeDeferred: false,
  description: 'queries',
  occupiedSlots: 3,
  deferredTasks: 1,
};

export const connection: Connection = {
  connId: 'warehouse',
  connType: 'postgres',
  description: '',
  host: 'db.example.com',
  port: 5432,
  login: 'etl',
  schema: 'sales',
  extra: { sslmode: 'require' },
  hasPassword: true,
  updatedAt: '2026-01-01T00:00:00.000Z',
};

export const variable: Variable = { key: 'region', value: 'eu', updatedAt: '2026-01-01T00:00:00.000Z' };

export const job: Job = {
  id: 1,
  type: 'scheduler',
  hostname: 'host-1',
  pid: 42,
  state: 'running',
  isAlive: true,
  startedAt: '2026-01-01T00:00:00.000Z',
  heartbeatAt: '2026-01-01T00:00:05.000Z',
  endedAt: null,
};

export const importError: ImportErrorReport = {
  id: 1,
  file: 'dags/broken.ts',
  line: 12,
  message: 'Unexpected token',
  stack: null,
  createdAt: '2026-01-01T00:00:00.000Z',
};

export function health(status: Health['status']): Health {
  const component = { status, latestHeartbeat: '2026-01-01T00:00:05.000Z', alive: 1 };
  return {
    status,
    database: { status: 'healthy' },
    scheduler: component,
    triggerer: component,
    dagProcessor: component,
  };
}
