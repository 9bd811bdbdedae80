import type * as z from 'zod';
import {
  duration,
  integer,
  orNull,
  plugin,
  pluginName,
  pluginNames,
  plugins,
  type Setting,
  secret,
  size,
  text,
  texts,
  url,
} from './setting-kinds.ts';

/** All settings with their defaults. What they mean stands in `WindhoverConfig`. */
export const SETTINGS = {
  'database.url': secret(orNull(url('postgres://user:password@host:5432/database'))),
  'database.poolSize': integer(1, 1_000, 10),
  executor: pluginName(),
  executors: pluginNames(['local']),
  'local.parallelism': integer(0, 10_000, 4),
  'local.recycleAfterTasks': integer(1, 1_000_000_000, 1_000),
  'dags.folder': text('dags'),
  'dags.parseTimeout': duration('30s'),
  'dags.scanInterval': duration('30s'),
  'api.host': text('127.0.0.1'),
  'api.port': integer(0, 65_535, 8_793),
  'api.baseUrl': orNull(url('https://windhover.example.com')),
  'scheduler.heartbeat': duration('5s'),
  'scheduler.lease': duration('30s'),
  'scheduler.maxActiveRuns': integer(1, 1_000_000, 1_000),
  'triggerer.capacity': integer(1, 10_000_000, 1_000),
  'triggerer.queues': texts(['default']),
  'triggerer.lease': duration('30s'),
  'logs.store': plugin('file'),
  'logs.folder': text('.windhover/logs'),
  'xcom.maxSize': size('1MB'),
  'xcom.backend': orNull(plugin()),
  'secrets.backends': plugins([]),
  'signals.service': plugin('database'),
} satisfies Record<string, Setting>;

export type SettingKey = keyof typeof SETTINGS;

export type SettingValues = { readonly [K in SettingKey]: z.output<(typeof SETTINGS)[K]['schema']> };

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

/** Executors whose options may stand in the file though it does not name them. Those of others: where it does. */
export const KNOWN_EXECUTORS: readonly string[] = ['local', 'celery', 'kubernetes'];
