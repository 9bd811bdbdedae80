import type { DagApi, Json, TriggerApi } from '@windhover/core';
import { createApiServer, executionRoutes, listenOrThrow, type Platform, SchedulerJob } from '@windhover/platform';
import { DagProcessor, Triggerer } from '@windhover/worker';
import { cliVersion } from '../version.ts';
import { loadExecutors } from './plugins.ts';
import type { RunningServer } from './running-server.ts';
import type { ServerSetup } from './server-setup.ts';

/** The parts that `standalone` has all of, and the other servers one each. */

export interface SchedulerOptions {
  readonly numRuns?: number;
  readonly dagIds?: readonly string[];
}

export async function startScheduler(
  { config, log }: ServerSetup,
  platform: Platform,
  options: SchedulerOptions = {},
): Promise<RunningServer & { whenOver(): Promise<void> }> {
  const { leaseMs, heartbeatMs, maxActiveRuns } = config.scheduler;
  const executors = await loadExecutors(config);
  const { projectRoot, api, xcom } = config;
  const { maxSizeBytes: xcomLimitBytes, backend } = xcom;
  const xcomBackend = backend && { classpath: backend.use, options: backend.options as Readonly<Record<string, Json>> };
  const job = new SchedulerJob({
    ...platform,
    ...options,
    executors,
    projectRoot,
    log,
    leaseMs,
    heartbeatMs,
    maxActiveRuns,
    apiUrl: api.baseUrl,
    xcom: { xcomLimitBytes, ...(xcomBackend && { xcomBackend }) },
  });
  await job.start();
  return { stop: () => job.stop({ graceMs: STOP_GRACE_MS }), whenOver: () => job.whenOver() };
}

export async function startApiServer(
  { config, log }: ServerSetup,
  platform: Platform,
): Promise<RunningServer & { readonly url: string }> {
  const server = createApiServer({
    ...platform,
    log,
    version: cliVersion(),
    executionApi: (app) => executionRoutes(app, { ...platform, log }),
  });
  const { url } = await listenOrThrow(server, config.api);
  return { url: config.api.baseUrl ?? url, stop: () => server.close() };
}

export async function startTriggerer({ config, log }: ServerSetup, triggerApi: TriggerApi): Promise<RunningServer> {
  const { capacity, queues } = config.triggerer;
  const triggerer = new Triggerer({ triggerApi, projectRoot: config.projectRoot, queues, capacity, log });
  await triggerer.start();
  return triggerer;
}

export function startDagProcessor({ config, log }: ServerSetup, dagApi: DagApi): RunningServer & DagProcessor {
  const { folder: dagsFolder, parseTimeoutMs, scanIntervalMs } = config.dags;
  const { projectRoot } = config;
  const processor = new DagProcessor({ projectRoot, dagApi, log, dagsFolder, parseTimeoutMs, scanIntervalMs });
  processor.start();
  return processor;
}

/** What tasks get to end when the scheduler is stopped; longer ones are lost and retried. */
const STOP_GRACE_MS = 10_000;
