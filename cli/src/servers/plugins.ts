import type { Executor, LogStore, SecretsBackend } from '@windhover/core';
import { LocalExecutor } from '@windhover/executor-local';
import { FileLogStore } from '@windhover/platform';
import { createClassLoader } from '@windhover/worker';
import type { Plugin, ResolvedConfig } from '../config/resolved-config.ts';
import { PluginError } from './plugin-error.ts';

/** Executors by the names under which tasks ask for them; the first is the default. */
export async function loadExecutors(config: ResolvedConfig): Promise<ReadonlyMap<string, Executor>> {
  const executors = new Map<string, Executor>();
  for (const name of config.executors) {
    const options = config.executorOptions[name] ?? {};
    const executor =
      name === 'local'
        ? new LocalExecutor(options)
        : await loadPlugin<Executor>(config, 'executor', { use: EXECUTOR_ALIASES[name] ?? name, options });
    executors.set(name, executor);
  }
  return executors;
}

export async function loadLogStore(config: ResolvedConfig): Promise<LogStore> {
  const { store, folder } = config.logs;
  return store.use === 'file' ? new FileLogStore({ folder, ...store.options }) : loadPlugin(config, 'log store', store);
}

export async function loadSecretsBackends(config: ResolvedConfig): Promise<readonly SecretsBackend[]> {
  return Promise.all(
    config.secrets.backends.map((plugin) => loadPlugin<SecretsBackend>(config, 'secrets backend', plugin)),
  );
}

const EXECUTOR_ALIASES: Readonly<Record<string, string>> = {
  celery: '@windhover/executor-celery#CeleryExecutor',
  kubernetes: '@windhover/executor-kubernetes#KubernetesExecutor',
};

/** A class of the project or of a package it has installed, made with its options. */
async function loadPlugin<T>(config: ResolvedConfig, kind: string, { use, options }: Plugin): Promise<T> {
  if (!use.includes('#')) throw new PluginError(kind, use, 'it is no known alias and no classpath.');
  const found = await createClassLoader({ projectRoot: config.projectRoot }).load(use);
  if (typeof found !== 'function') throw new PluginError(kind, use, `it is a ${typeof found}, not a class.`);
  try {
    return new (found as new (options: unknown) => T)(options);
  } catch (error) {
    throw new PluginError(kind, use, (error as Error).message, { cause: error });
  }
}
