import type { Queryable } from './database.ts';

/** Figures that are cheap to get at any size: from small tables and partial indexes only. */
export interface StoreFigures {
  readonly importErrors: number;
  readonly queuedRuns: number;
  readonly runningRuns: number;
  readonly waitingCallbacks: number;
  /** Queued or running tasks: those that hold a slot. */
  readonly activeTasks: number;
  readonly deferredTasks: number;
}

export async function getStoreFigures(client: Queryable): Promise<StoreFigures> {
  const { rows } = await client.query<StoreFigures>(
    `select (select count(*)::int from import_error) as "importErrors",
            (select count(*)::int from callback_outbox where state = 'waiting') as "waitingCallbacks",
            (select count(*)::int from dag_run where state = 'queued') as "queuedRuns",
            (select count(*)::int from dag_run where state = 'running') as "runningRuns",
            (count(*) filter (where not is_deferred))::int as "activeTasks",
            (count(*) filter (where is_deferred))::int as "deferredTasks"
       from active_task`,
  );
  return rows[0]!;
}
