import type { RunStatesRequest, SerializedRunStates, TaskInstanceState } from '@windhover/core';
import type { Queryable } from './database.ts';

/** Runs of a DAG, by id or by logical date, oldest first; without either, those that have not ended. */
export async function readRunStates(client: Queryable, request: RunStatesRequest): Promise<SerializedRunStates[]> {
  const { rows } = await client.query<{
    runId: string;
    logicalDate: Date;
    state: SerializedRunStates['state'];
    tasks: Record<string, TaskInstanceState> | null;
  }>(
    `select r.run_id as "runId", r.logical_date as "logicalDate", r.state,
            (select jsonb_object_agg(t.task_id, t.state) from task_instance t
              where t.dag_run_id = r.id and (t.task_id = any($4) or starts_with(t.task_id, $5))) as tasks
       from dag_run r where r.dag_id = $1 and (
         case when $2::text[] is null and $3::timestamptz[] is null then r.state in ('queued', 'running')
              else r.run_id = any($2) or r.logical_date = any($3) end) order by r.logical_date`,
    [
      request.dagId,
      request.runIds ?? null,
      request.logicalDates ?? null,
      request.taskIds ?? [],
      // Null is the beginning of nothing.
      request.taskGroupId === undefined ? null : `${request.taskGroupId}.`,
    ],
  );
  return rows.map(({ tasks, logicalDate, ...run }) => ({
    ...run,
    logicalDate: logicalDate.toISOString(),
    tasks: tasks ?? {},
  }));
}
