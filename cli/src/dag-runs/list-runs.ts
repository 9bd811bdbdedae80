import type { DagRun } from '../api-client/dags.ts';
import { path } from '../api-client/path.ts';
import type { Session } from '../session.ts';
import { RUN_COLUMNS } from './run-columns.ts';

export interface RunFilter {
  readonly dagId?: string | undefined;
  readonly state?: string | undefined;
  readonly runType?: string | undefined;
  readonly backfillId?: number | undefined;
}

/** `windhover runs list` and `windhover dags runs` */
export async function listRuns({ api, output }: Session, filter: RunFilter, limit: number): Promise<void> {
  const { dagId, ...others } = filter;
  // Of a DAG that does not exist there is no empty list, but an error that says so.
  const url = dagId === undefined ? '/runs' : path`/dags/${dagId}/runs`;
  const { items, hasMore } = await api.first<DagRun>(limit, url, others);
  output.table(items, {
    columns: RUN_COLUMNS,
    empty: 'No runs. Start one with: windhover dags trigger <dagId>',
    hasMore,
  });
}
