import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { getJobHealth } from '../store/job-queries.ts';
import { getStoreFigures } from '../store/metrics-queries.ts';
import { listPools } from '../store/pools.ts';
import type { Api, ApiServices } from './api.ts';

/** Serves what Prometheus reads. A scrape looks at small tables only, never at all task instances. */
export function metricsRoutes(api: Api, { database, writer }: ApiServices): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureRequests(api, registry);
  const unsubscribe = countTaskChanges(writer, registry);
  const observe = storeGauges(database, registry);
  api.addHook('onClose', async () => {
    unsubscribe();
    registry.clear();
  });
  api.get('/metrics', { config: { isPublic: true }, schema: { hide: true } }, async (_request, reply) => {
    await observe();
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

function measureRequests(api: Pick<FastifyInstance, 'addHook'>, registry: Registry): void {
  const durations = new Histogram({
    name: 'windhover_http_request_duration_seconds',
    help: 'How long requests took, by route. Long polls wait on purpose.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  api.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    durations.observe({ method, route: routeOptions.url ?? '', status: statusCode }, elapsedTime / 1000);
  });
}

/** Of this process only; the sum over all processes is that of the platform. */
function countTaskChanges(writer: ApiServices['writer'], registry: Registry): () => void {
  const changes = new Counter({
    name: 'windhover_task_instance_changes_total',
    help: 'Changes of task instances that this process has committed, by the state they led to.',
    labelNames: ['state'],
    registers: [registry],
  });
  const batches = new Histogram({
    name: 'windhover_commit_task_instances',
    help: 'How many task instances one commit has changed.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    registers: [registry],
  });
  return writer.onCommitted((rows) => {
    batches.observe(rows.length);
    for (const { row } of rows) changes.inc({ state: row.state });
  });
}

/** Answers a function that brings the gauges up to date. */
function storeGauges(database: ApiServices['database'], registry: Registry): () => Promise<void> {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `windhover_${name}`, help, labelNames, registers: [registry] });
  const runs = gauge('dag_runs', 'Unfinished runs.', ['state']);
  const tasks = gauge('active_tasks', 'Tasks that hold a slot, and tasks that wait deferred.', ['kind']);
  const callbacks = gauge('waiting_callbacks', 'Callbacks that have not run yet.');
  const importErrors = gauge('import_errors', 'DAG files, or DAGs in them, that cannot be read.');
  const slots = gauge('pool_slots', 'Slots of a pool; -1 means no limit.', ['pool']);
  const occupied = gauge('pool_occupied_slots', 'Slots of a pool that are taken.', ['pool']);
  const deferred = gauge('pool_deferred_tasks', 'Tasks of a pool that wait deferred.', ['pool']);
  const alive = gauge('jobs_alive', 'Jobs that are alive, by type.', ['type']);
  const age = gauge('job_heartbeat_age_seconds', 'Since the last heartbeat of a job of this type.', ['type']);
  return async () => {
    const [figures, pools, jobs] = await Promise.all([
      getStoreFigures(database),
      listPools(database, null, MAX_POOLS),
      getJobHealth(database),
    ]);
    runs.set({ state: 'queued' }, figures.queuedRuns);
    runs.set({ state: 'running' }, figures.runningRuns);
    tasks.set({ kind: 'slot' }, figures.activeTasks);
    tasks.set({ kind: 'deferred' }, figures.deferredTasks);
    callbacks.set(figures.waitingCallbacks);
    importErrors.set(figures.importErrors);
    // A pool that was deleted is not to stay.
    for (const each of [slots, occupied, deferred]) each.reset();
    for (const pool of pools) {
      slots.set({ pool: pool.name }, pool.slots);
      occupied.set({ pool: pool.name }, pool.occupiedSlots);
      deferred.set({ pool: pool.name }, pool.deferredTasks);
    }
    for (const job of jobs) {
      alive.set({ type: job.type }, job.alive);
      age.set({ type: job.type }, job.heartbeatAgeMs / 1000);
    }
  };
}

/** More time series than that help nobody. */
const MAX_POOLS = 1000;
