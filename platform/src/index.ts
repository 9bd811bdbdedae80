export { BackfillError } from './backfills/backfill-error.ts';
export { BackfillNotFoundError } from './backfills/backfill-not-found-error.ts';
export { cancelBackfill, createBackfill, pauseBackfill, resumeBackfill } from './backfills/backfills.ts';
export { type BackfillRequest, type PlannedBackfillRun, planBackfill } from './backfills/plan-backfill.ts';
export { ConnectionTestError } from './connections/connection-test-error.ts';
export {
  type ConnectionTestStore,
  getConnectionTestResult,
  requestConnectionTest,
} from './connections/connection-tests.ts';
export { ConnectionTypeError } from './connections/connection-type-error.ts';
export { Lookup, type LookupOptions } from './connections/lookup.ts';
export { loadOrCreateKeyFile } from './crypto/key-file.ts';
export { Keyring } from './crypto/keyring.ts';
export { generateSecretKey, parseSecretKeys } from './crypto/secret-keys.ts';
export { clearTasks } from './dag-runs/clear-tasks.ts';
export { type CreatedDagRun, createDagRun, type NewDagRun } from './dag-runs/create-dag-run.ts';
export { DagNotFoundError } from './dag-runs/dag-not-found-error.ts';
export { DagRun } from './dag-runs/dag-run.ts';
export { DagRunExistsError } from './dag-runs/dag-run-exists-error.ts';
export { DagRunNotFoundError } from './dag-runs/dag-run-not-found-error.ts';
export { markTasks } from './dag-runs/mark-tasks.ts';
export { retryTasksNow } from './dag-runs/retry-tasks.ts';
export type { ActionStore, TaskSelection } from './dag-runs/select-tasks.ts';
export { setDagRunState } from './dag-runs/set-dag-run-state.ts';
export { stopTasks } from './dag-runs/stop-tasks.ts';
export { TaskNotFoundError } from './dag-runs/task-not-found-error.ts';
export { DagFileStore } from './dags/dag-file-store.ts';
export { type DagVersion, DagVersions, makeVersion } from './dags/dag-versions.ts';
export { type ScheduledDagRun, scheduleDagRuns } from './dags/schedule-dag-runs.ts';
export { StoredDag } from './dags/stored-dag.ts';
export { type ExecutionRoutesOptions, executionRoutes } from './execution-api/execution-routes.ts';
export { InvalidCallError } from './execution-api/invalid-call-error.ts';
export { InvalidTokenError, type TokenFailure } from './execution-api/invalid-token-error.ts';
export { NotYetError } from './execution-api/not-yet-error.ts';
export { TaskApiServer, type TaskApiServerOptions } from './execution-api/task-api-server.ts';
export { startScope, type TokenScope, type WorkloadSubject } from './execution-api/token-scope.ts';
export { TokenScopeError } from './execution-api/token-scope-error.ts';
export { type IssueOptions, Tokens } from './execution-api/tokens.ts';
export { FileLogStore } from './logs/file-log-store.ts';
export { openPlatform, type Platform, type PlatformOptions } from './open-platform.ts';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './postgres/embedded-postgres.ts';
export { PostgresBinariesError } from './postgres/postgres-binaries-error.ts';
export { PostgresStartError, type PostgresStartFacts } from './postgres/postgres-start-error.ts';
export { type ApiServerOptions, createApiServer } from './rest/api-server.ts';
export { listenOrThrow } from './rest/listen.ts';
export { PortTakenError } from './rest/port-taken-error.ts';
export { BackfillJob, type BackfillJobOptions, formatProgress } from './scheduler/backfill-job.ts';
export { DagRunJob, type DagRunJobOptions } from './scheduler/dag-run-job.ts';
export { planTasks, type RunOutcome, runOutcome } from './scheduler/plan-dag-run.ts';
export type { SchedulerJobOptions } from './scheduler/scheduler-job.ts';
export { SchedulerJob } from './scheduler/scheduler-job.ts';
export type { Backfill, Reprocess, RunProgress } from './store/backfills.ts';
export { checkDatabase } from './store/check-database.ts';
export { cleanDatabase } from './store/clean-database.ts';
export { Database, type DatabaseOptions } from './store/database.ts';
export { DatabaseError } from './store/database-error.ts';
export { abandonJobs } from './store/jobs.ts';
export { keepJob } from './store/keep-job.ts';
export { migrate, pendingMigrations } from './store/migrate.ts';
export { MigrationError } from './store/migration-error.ts';
export { Notifications } from './store/notifications.ts';
export { ChangeWriter } from './task-instances/change-writer.ts';
export { type Decision, decideChange, NEXT_RESUME } from './task-instances/decide-change.ts';
export type { TaskChange } from './task-instances/task-change.ts';
export type { TaskInstanceRow } from './task-instances/task-instance-row.ts';
export { TriggerApiServer, type TriggerApiServerOptions } from './triggers/trigger-api-server.ts';
