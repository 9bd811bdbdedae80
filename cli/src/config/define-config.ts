import type { Duration } from '@windhover/core';

/**
 * Types `windhover.config.ts`.
 *
 * @example
 * export default defineConfig({
 *   executors: ['local', 'kubernetes'],
 *   local: { parallelism: 8 },
 *   dags: { folder: 'workflows' },
 * });
 */
export function defineConfig(config: WindhoverConfig): WindhoverConfig {
  return config;
}

/**
 * Each setting also has an environment variable, which goes before the file: `api.port` is `WINDHOVER_API__PORT`,
 * `dags.parseTimeout` is `WINDHOVER_DAGS__PARSE_TIMEOUT`.
 *
 * The options of an executor stand under its alias or classpath. A package that brings an executor may add its alias
 * here: `declare module 'windhover' { interface WindhoverConfig { nomad?: NomadOptions } }`.
 */
export interface WindhoverConfig {
  readonly database?: {
    /** A PostgreSQL server, version 15 or later. Default: null, a PostgreSQL that the platform starts itself. */
    readonly url?: string | null;
    /** Connections of one process. Default: 10. */
    readonly poolSize?: number;
  };
  /** The only executor: an alias or a classpath. Default: `'local'`. */
  readonly executor?: string;
  /** Several executors; tasks that name none run on the first. Default: `['local']`. */
  readonly executors?: readonly string[];
  readonly local?: LocalExecutorConfig;
  readonly celery?: ExecutorOptions;
  readonly kubernetes?: ExecutorOptions;
  readonly [classpath: `${string}#${string}`]: ExecutorOptions;
  readonly dags?: {
    /** Default: `'dags'`, below the project's root, like all folders here. */
    readonly folder?: string;
    /** How long the reading of one DAG file may take. Default: `'30s'`. */
    readonly parseTimeout?: Duration;
    /** How often to look for changed files where the file system does not tell. Default: `'30s'`. */
    readonly scanInterval?: Duration;
  };
  readonly api?: {
    /** Default: `'127.0.0.1'`, this machine only. */
    readonly host?: string;
    /** 0 takes any free port. Default: 8793. */
    readonly port?: number;
    /** Under which URL others reach the API. Default: null, made from host and port. */
    readonly baseUrl?: string | null;
  };
  readonly scheduler?: {
    /** How often a scheduler says that it lives, and looks for what no signal told. Default: `'5s'`. */
    readonly heartbeat?: Duration;
    /** How long a silent scheduler keeps its runs; longer than the heartbeat. Default: `'30s'`. */
    readonly lease?: Duration;
    /** How many runs one scheduler executes at once. Default: 1000. */
    readonly maxActiveRuns?: number;
  };
  readonly triggerer?: {
    /** How many triggers one triggerer runs at once. Default: 1000. */
    readonly capacity?: number;
    /** Default: `['default']`. */
    readonly queues?: readonly string[];
    /** How long a silent triggerer keeps its triggers. Default: `'30s'`. */
    readonly lease?: Duration;
  };
  readonly logs?: {
    /** Default: `'file'`. */
    readonly store?: PluginReference;
    /** Default: `'.windhover/logs'`. */
    readonly folder?: string;
  };
  readonly xcom?: {
    /** A larger value is refused, or goes to the backend. Default: `'1MB'`. */
    readonly maxSize?: Size;
    /** Keeps large values. Default: null, none. */
    readonly backend?: PluginReference | null;
  };
  readonly secrets?: {
    /** Asked in this order, before the database. Default: []. */
    readonly backends?: readonly PluginReference[];
  };
  readonly signals?: {
    /** Default: `'database'`. */
    readonly service?: PluginReference;
  };
}

/** An amount of data; 1 kB is 1024 bytes. */
export type Size = `${number}${'B' | 'kB' | 'MB' | 'GB'}`;

/** An alias or a classpath, alone or with the options of what it names. */
export type PluginReference = string | { readonly use: string; readonly options?: Readonly<Record<string, unknown>> };

export interface LocalExecutorConfig {
  /** How many tasks run at once; 0 means no limit. Default: 4. */
  readonly parallelism?: number;
  /** A process is replaced after so many tasks. Default: 1000. */
  readonly recycleAfterTasks?: number;
}

/** Checked by the executor. */
export type ExecutorOptions = Readonly<Record<string, unknown>>;
