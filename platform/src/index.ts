export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './postgres/embedded-postgres.ts';
export { PostgresBinariesError } from './postgres/postgres-binaries-error.ts';
export { PostgresStartError, type PostgresStartFacts } from './postgres/postgres-start-error.ts';
