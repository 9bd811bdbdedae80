import type { Database } from './database.ts';

/**
 * Removes runs that ended long ago, with what hangs on them, and rows of the log that no unfinished run can ask for.
 * In batches, so that nobody waits long.
 */
export async function cleanDatabase(
  database: Database,
  { beforeDays, isDryRun }: { readonly beforeDays: number; readonly isDryRun: boolean },
): Promise<{ readonly dagRuns: number; readonly signals: number }> {
  const age = [beforeDays];
  if (isDryRun) {
    const { rows } = await database.query<{ dagRuns: number; signals: number }>(
      `select (select count(*)::int from dag_run where ${OLD_RUN}) as "dagRuns", (select count(*)::int from signal where ${OLD_SIGNAL}) as signals`,
      age,
    );
    return rows[0]!;
  }
  const removeAll = async (statement: string) => {
    let removed = 0;
    for (;;) {
      const { rowCount } = await database.query(statement, age);
      removed += rowCount ?? 0;
      if ((rowCount ?? 0) < BATCH) return removed;
    }
  };
  return {
    dagRuns: await removeAll(
      `delete from dag_run where id in (select id from dag_run where ${OLD_RUN} order by id limit ${BATCH})`,
    ),
    signals: await removeAll(
      `delete from signal where log_offset in (select log_offset from signal where ${OLD_SIGNAL} order by log_offset limit ${BATCH})`,
    ),
  };
}

const BATCH = 500;
const OLD_RUN = `state in ('success', 'failed') and ended_at < now() - $1 * interval '1 day'`;
const OLD_SIGNAL = `sent_at < now() - $1 * interval '1 day'
  and not exists (select 1 from dag_run r where r.id = signal.dag_run_id and r.state in ('queued', 'running'))`;
