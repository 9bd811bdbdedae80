export { Keyring } from './crypto/keyring.ts';
export { generateSecretKey } from './crypto/secret-keys.ts';
export { type CreatedDagRun, createDagRun, type NewDagRun } from './dag-runs/create-dag-run.ts';
export { DagNotFoundError } from './dag-runs/dag-not-found-error.ts';
export { DagRunExistsError } from './dag-runs/dag-run-exists-error.ts';
export { DagFileStore } from './dags/dag-file-store.ts';
export { DagVersions } from './dags/dag-versions.ts';
export { NotYetError } from './execution-api/not-yet-error.ts';
export { TaskApiServer, type TaskApiServerOptions } from './execution-api/task-api-server.ts';
export { FileLogStore } from './logs/file-log-store.ts';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './postgres/embedded-postgres.ts';
export { PostgresBinariesError } from './postgres/postgres-binaries-error.ts';
export { PostgresStartError, type PostgresStartFacts } from './postgres/postgres-start-error.ts';
export { DagRunJob, type DagRunJobOptions } from './scheduler/dag-run-job.ts';
export { SchedulerJob } from './scheduler/scheduler-job.ts';
export { Database, type DatabaseOptions } from './store/database.ts';
export { migrate, pendingMigrations } from './store/migrate.ts';
export { MigrationError } from './store/migration-error.ts';
export { Notifications } from './store/notifications.ts';
export { ChangeWriter } from './task-instances/change-writer.ts';
