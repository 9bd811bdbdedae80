/** The configuration as the processes take it: complete, checked, frozen. */
export interface ResolvedConfig {
  readonly projectRoot: string;
  /** The configuration file that was read, or null. */
  readonly file: string | null;
  readonly database: { readonly url: string | null; readonly poolSize: number };
  /** At least one; the first is the default. */
  readonly executors: readonly string[];
  /** By the alias or classpath of the executor. */
  readonly executorOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Folders are absolute. */
  readonly dags: { readonly folder: string; readonly parseTimeoutMs: number; readonly scanIntervalMs: number };
  readonly api: { readonly host: string; readonly port: number; readonly baseUrl: string | null };
  readonly scheduler: { readonly heartbeatMs: number; readonly leaseMs: number; readonly maxActiveRuns: number };
  readonly triggerer: { readonly capacity: number; readonly queues: readonly string[]; readonly leaseMs: number };
  readonly logs: { readonly store: Plugin; readonly folder: string };
  readonly xcom: { readonly maxSizeBytes: number; readonly backend: Plugin | null };
  readonly secrets: { readonly backends: readonly Plugin[] };
  readonly signals: { readonly service: Plugin };
  /** The value of WINDHOVER_SECRET_KEYS, for `parseSecretKeys`; null where it is not set. */
  readonly secretKeys: string | null;
}

export interface Plugin {
  /** An alias or a classpath. */
  readonly use: string;
  readonly options: Readonly<Record<string, unknown>>;
}
