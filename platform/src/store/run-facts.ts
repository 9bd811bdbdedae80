import type { DagRunType, Json } from '@windhover/core';
import type { Queryable } from './database.ts';

/** What code that runs for a DAG run is told about it. */
export interface StoredRunFacts {
  readonly dagId: string;
  readonly runId: string;
  readonly versionId: number;
  readonly dagFile: string;
  readonly logicalDate: Date;
  readonly intervalStart: Date;
  readonly intervalEnd: Date;
  readonly runType: DagRunType;
  readonly conf: Readonly<Record<string, Json>>;
}

export async function getRunFacts(client: Queryable, dagRunId: number): Promise<StoredRunFacts> {
  const { rows } = await client.query<StoredRunFacts>(
    `select r.dag_id as "dagId", r.run_id as "runId", r.version_id as "versionId", d.file as "dagFile",
            r.logical_date as "logicalDate", r.interval_start as "intervalStart", r.interval_end as "intervalEnd",
            r.run_type as "runType", r.conf
       from dag_run r join dag d on d.dag_id = r.dag_id where r.id = $1`,
    [dagRunId],
  );
  return rows[0]!;
}
