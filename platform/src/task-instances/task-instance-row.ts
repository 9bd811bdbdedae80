import type { Json, SerializedError, TaskInstanceState, TimeoutAction } from '@windhover/core';

/** The changeable columns of `task_instance`, as JavaScript has them. `next` is still encrypted. */
export interface TaskInstanceRow {
  readonly id: number;
  readonly dagRunId: number;
  readonly taskId: string;
  readonly mapIndex: number;
  readonly pool: string;
  readonly poolSlots: number;
  readonly state: TaskInstanceState;
  readonly tryNumber: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly signalVersion: number;
  readonly executor: string | null;
  readonly externalId: string | null;
  readonly queuedByJob: number | null;
  readonly requestedAction: RequestedAction | null;
  readonly triggerId: number | null;
  readonly triggerTimeout: Date | null;
  readonly onTimeout: TimeoutAction | null;
  readonly nextMethod: string | null;
  readonly nextKwargs: Buffer | null;
  readonly resumeAt: Date | null;
  readonly deadlineAt: Date | null;
  readonly sensorStartedAt: Date | null;
  readonly scheduledAt: Date | null;
  readonly queuedAt: Date | null;
  readonly startedAt: Date | null;
  readonly runningSince: Date | null;
  readonly deferredSince: Date | null;
  readonly endedAt: Date | null;
  readonly runningMs: number;
  readonly queuedMs: number;
  readonly deferredMs: number;
  readonly hostname: string | null;
  readonly pid: number | null;
  readonly error: SerializedError | null;
}

/** What a running task was asked to do; its worker learns of it with the next heartbeat. */
export type RequestedAction = 'stop' | 'clear';

/** The run a task instance belongs to, read with it. */
export interface RunFacts {
  readonly dagId: string;
  readonly runId: string;
  readonly versionId: number;
}

/** What `next_kwargs` holds once it is decrypted. */
export type StoredNext = { readonly resume: Json; readonly event: Json | null };

export const COLUMNS = {
  id: 'id',
  dagRunId: 'dag_run_id',
  taskId: 'task_id',
  mapIndex: 'map_index',
  pool: 'pool',
  poolSlots: 'pool_slots',
  state: 'state',
  tryNumber: 'try_number',
  attempt: 'attempt',
  epoch: 'epoch',
  signalVersion: 'signal_version',
  executor: 'executor',
  externalId: 'external_id',
  queuedByJob: 'queued_by_job',
  requestedAction: 'requested_action',
  triggerId: 'trigger_id',
  triggerTimeout: 'trigger_timeout',
  onTimeout: 'on_timeout',
  nextMethod: 'next_method',
  nextKwargs: 'next_kwargs',
  resumeAt: 'resume_at',
  deadlineAt: 'deadline_at',
  sensorStartedAt: 'sensor_started_at',
  scheduledAt: 'scheduled_at',
  queuedAt: 'queued_at',
  startedAt: 'started_at',
  runningSince: 'running_since',
  deferredSince: 'deferred_since',
  endedAt: 'ended_at',
  runningMs: 'running_ms',
  queuedMs: 'queued_ms',
  deferredMs: 'deferred_ms',
  hostname: 'hostname',
  pid: 'pid',
  error: 'error',
} as const satisfies Record<keyof TaskInstanceRow, string>;

export const SELECT_LIST = Object.entries(COLUMNS)
  .map(([field, column]) => `t.${column} as "${field}"`)
  .join(', ');
