import { resolve } from 'node:path';
import { rememberOrigins } from './config-entries.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { importConfigFile } from './config-file.ts';
import { SECRET_KEYS_VARIABLE } from './environment.ts';
import { showMasked } from './mask-secrets.ts';
import { frozenCopy } from './plain-object.ts';
import { type GivenSetting, type GivenSettings, readSettings } from './read-settings.ts';
import type { ResolvedConfig } from './resolved-config.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey, type SettingValues } from './settings.ts';

export interface LoadConfigOptions {
  readonly projectRoot: string;
  /** `process.env`, at the entry point. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the configuration of a project, once, at the entry point of a process: `windhover.config.ts` (or `.js`,
 * `.mjs`), over it the environment, below both the defaults. Throws `ConfigFileError` where the file cannot be loaded,
 * and `ConfigError` with everything that is wrong otherwise.
 */
export async function loadConfig({ projectRoot, env }: LoadConfigOptions): Promise<ResolvedConfig> {
  const root = resolve(projectRoot);
  const file = await importConfigFile(root);
  const problems: ConfigProblem[] = [];
  const given = readSettings(file, env, problems);
  settleExecutors(given, problems);
  const values = checkValues(given, problems);
  checkTogether(values, given, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  const secretKeys = env[SECRET_KEYS_VARIABLE]?.trim() || null;
  const config: ResolvedConfig = frozenCopy({
    projectRoot: root,
    file: file?.path ?? null,
    database: { url: values['database.url'], poolSize: values['database.poolSize'] },
    executors: values.executors,
    executorOptions: executorOptions(values, given),
    dags: {
      folder: resolve(root, values['dags.folder']),
      parseTimeoutMs: values['dags.parseTimeout'],
      scanIntervalMs: values['dags.scanInterval'],
    },
    api: { host: values['api.host'], port: values['api.port'], baseUrl: values['api.baseUrl'] },
    scheduler: {
      heartbeatMs: values['scheduler.heartbeat'],
      leaseMs: values['scheduler.lease'],
      maxActiveRuns: values['scheduler.maxActiveRuns'],
    },
    triggerer: {
      capacity: values['triggerer.capacity'],
      queues: values['triggerer.queues'],
      leaseMs: values['triggerer.lease'],
    },
    logs: { store: values['logs.store'], folder: resolve(root, values['logs.folder']) },
    xcom: { maxSizeBytes: values['xcom.maxSize'], backend: values['xcom.backend'] },
    secrets: { backends: values['secrets.backends'] },
    signals: { service: values['signals.service'] },
    secretKeys,
  });
  rememberOrigins(config, given);
  return config;
}

/** `executor: 'x'` is short for `executors: ['x']`. The environment's word goes before the file's, whichever form. */
function settleExecutors(given: GivenSettings, problems: ConfigProblem[]): void {
  const one = given.get('executor');
  const many = given.get('executors');
  if (!one) return;
  if (many && one.source === many.source)
    problems.push({
      key: 'executor',
      origin: one.origin,
      message: '"executor" and "executors" are both set. Keep "executors", with the default one first.',
    });
  if (many && many.source === 'environment') given.delete('executor');
  else if (typeof one.value === 'string' && SETTINGS.executor.schema.safeParse(one.value).success) {
    given.set('executors', { ...one, value: [one.value] });
  }
}

/** Where a value is wrong its default stands in, so that the checks after it find only mistakes of their own. */
function checkValues(given: GivenSettings, problems: ConfigProblem[]): SettingValues {
  const values: Partial<Record<SettingKey, unknown>> = {};
  for (const key of SETTING_KEYS) {
    const { schema, default: initial } = SETTINGS[key];
    const found = given.get(key);
    const result = found && schema.safeParse(found.value);
    if (found && !result?.success) problems.push(wrongValue(key, found));
    if (result?.success) values[key] = result.data;
    else if (initial !== undefined) values[key] = schema.parse(initial);
  }
  return values as SettingValues;
}

function wrongValue(key: SettingKey, { value, source, origin }: GivenSetting): ConfigProblem {
  const { expected, isSecret } = SETTINGS[key];
  const name = source === 'file' ? `"${key}"` : 'its value';
  const shown = isSecret ? `not shown, a ${value === null ? 'null' : typeof value}` : shorten(showMasked(key, value));
  return { key, origin, message: `${name} is ${shown}; expected ${expected}.` };
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

function checkTogether(values: SettingValues, given: GivenSettings, problems: ConfigProblem[]): void {
  if (values['scheduler.lease'] > values['scheduler.heartbeat']) return;
  const { origin } = given.get('scheduler.lease') ?? given.get('scheduler.heartbeat')!;
  problems.push({
    key: 'scheduler.lease',
    origin,
    message: '"scheduler.lease" must be longer than "scheduler.heartbeat", or a living scheduler loses its runs.',
  });
}

function executorOptions(values: SettingValues, given: GivenSettings): Record<string, Record<string, unknown>> {
  const options: Record<string, Record<string, unknown>> = {
    local: { parallelism: values['local.parallelism'], recycleAfterTasks: values['local.recycleAfterTasks'] },
  };
  for (const { value, option } of given.values()) {
    if (!option) continue;
    options[option.executor] ??= {};
    options[option.executor]![option.name] = value;
  }
  return options;
}
