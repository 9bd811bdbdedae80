import { type SerializedDag, TRIGGER_RULES } from '@windhover/core';
import { z } from 'zod';
import { DagNotFoundError } from '../dag-runs/dag-not-found-error.ts';
import { type DagRow, getDag, listDags, setDagPaused } from '../store/dags.ts';
import { type Api, type ApiServices, audit } from './api.ts';
import { pageOf, pageQuery, paginate } from './page.ts';
import { runState } from './runs-schemas.ts';
import { scheduleText } from './schedule-text.ts';
import { components, flag, id, instant, json, named } from './schemas.ts';

export function dagsRoutes(api: Api, { database, versions }: ApiServices): void {
  const tags = ['DAGs'];

  api.get(
    '/dags',
    { schema: { tags, summary: 'List DAGs', querystring: listQuery, response: { 200: pageOf(dagSchema) } } },
    async ({ query }) => {
      const { paused: isPaused, tag, search, all: withInactive } = query;
      const filter = { isPaused, tag, search, withInactive };
      const page = await paginate(
        query,
        (after: string | null, limit) => listDags(database, filter, after, limit),
        (row) => row.dagId,
      );
      return { ...page, items: page.items.map(toDag) };
    },
  );

  api.get(
    '/dags/:dagId',
    { schema: { tags, summary: 'A DAG with its tasks', params, response: { 200: dagDetails } } },
    async (request) => {
      const row = await dagOrThrow(request.params.dagId);
      const { dag } = await versions.getOrLoad(database, row.versionId);
      return { ...toDag(row), ...toDetails(dag) };
    },
  );

  api.patch(
    '/dags/:dagId',
    {
      schema: { tags, summary: 'Pause a DAG, or let it go on', params, body: patchBody, response: { 200: dagSchema } },
    },
    async (request) => {
      const { dagId } = request.params;
      const { isPaused } = request.body;
      await database.transaction(async (client) => {
        if (!(await setDagPaused(client, dagId, isPaused))) throw new DagNotFoundError(dagId);
        await audit(client, request, isPaused ? 'dag.pause' : 'dag.unpause', dagId);
      });
      return toDag(await dagOrThrow(dagId));
    },
  );

  async function dagOrThrow(dagId: string): Promise<DagRow> {
    const row = await getDag(database, dagId);
    if (!row) throw new DagNotFoundError(dagId);
    return row;
  }
}

const params = z.object({ dagId: z.string() });
const patchBody = z.strictObject({ isPaused: z.boolean() });
const listQuery = pageQuery({
  paused: flag.optional(),
  tag: z.string().optional(),
  search: z.string().optional().register(components, { description: 'A part of the id or of the description.' }),
  all: flag.prefault('false').register(components, { description: 'Also those whose file is gone.' }),
});

const schedule = named(
  'Schedule',
  z.union([
    z.object({ type: z.enum(['none', 'once', 'continuous']) }),
    z.object({ type: z.literal('cron'), expression: z.string(), timezone: z.string() }),
    z.object({ type: z.literal('interval'), everyMs: z.number() }),
    z.object({ type: z.literal('dates'), dates: z.array(z.string()) }),
  ]),
);

const dagSchema = named(
  'Dag',
  z.object({
    dagId: id,
    file: z.string(),
    versionHash: z.string(),
    isActive: z.boolean(),
    isPaused: z.boolean(),
    schedule,
    scheduleText: z.string(),
    nextLogicalDate: instant.nullable(),
    nextRunAt: instant.nullable(),
    tags: z.array(z.string()),
    owner: z.string().nullable(),
    description: z.string().nullable(),
    taskCount: z.int(),
    updatedAt: instant,
    lastRun: z.object({ runId: z.string(), state: runState, logicalDate: instant }).nullable(),
  }),
);

const dagDetails = named(
  'DagDetails',
  dagSchema.extend({
    tasks: z.array(
      z.object({
        taskId: id,
        operatorName: z.string(),
        taskGroupId: z.string().nullable(),
        upstreamTaskIds: z.array(z.string()),
        triggerRule: z.enum(TRIGGER_RULES),
        retries: z.int(),
        pool: z.string(),
        queue: z.string(),
        executor: z.string().nullable(),
        sensor: z
          .object({ timeoutMs: z.number(), softFail: z.boolean(), mode: z.enum(['defer', 'poke', 'reschedule']) })
          .nullable(),
        doc: z.string().nullable(),
      }),
    ),
    params: z.record(z.string(), json),
    maxActiveRuns: z.int(),
    maxActiveTasks: z.int(),
    catchup: z.boolean(),
    startDate: z.string().nullable(),
    endDate: z.string().nullable(),
    doc: z.string().nullable(),
  }),
);

function toDag(row: DagRow): z.output<typeof dagSchema> {
  const { tags, schedule } = row;
  return {
    ...row,
    tags: [...tags],
    schedule: schedule.type === 'dates' ? { ...schedule, dates: [...schedule.dates] } : schedule,
    scheduleText: scheduleText(schedule),
  };
}

function toDetails(dag: SerializedDag) {
  const { params, maxActiveRuns, maxActiveTasks, catchup, startDate, endDate, doc } = dag;
  const tasks = dag.tasks.map((task) => ({ ...task, upstreamTaskIds: [...task.upstreamTaskIds] }));
  return { tasks, params, maxActiveRuns, maxActiveTasks, catchup, startDate, endDate, doc };
}
