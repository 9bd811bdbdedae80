import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSecretKey } from '@windhover/platform';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../platform/test/support/test-postgres.ts';

export interface Entry {
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly pid: number;
  readonly startedAt: Date;
  readonly beatAt: Date;
  readonly endedAt: Date | null;
}

/** A project of its own with the DAGs of `projects/ledger`, a database for the platform, and one for what tasks write. */
export interface LedgerScene {
  readonly projectRoot: string;
  readonly env: Readonly<Record<string, string>>;
  /** The platform's database. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  entries(): Promise<Entry[]>;
  close(): Promise<void>;
}

export async function createLedgerScene(): Promise<LedgerScene> {
  const projectRoot = mkdtempSync(join(tmpdir(), 'windhover-e2e-'));
  await cp(join(import.meta.dirname, '../projects/ledger'), projectRoot, { recursive: true });
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(projectRoot, 'node_modules'));
  writeFileSync(join(projectRoot, 'package.json'), '{ "name": "ledger", "type": "module", "private": true }');
  writeFileSync(join(projectRoot, 'windhover.config.js'), 'export default {};');
  const [made, outside] = [await createTestDatabase(), await createTestDatabase()];
  const platform = new pg.Pool({ connectionString: made.url, max: 2 });
  const ledger = new pg.Pool({ connectionString: outside.url, max: 2 });
  await ledger.query(`create table entry (id uuid primary key, run_id text, task_id text, attempt int, try_number int, pid int,
    started_at timestamptz default clock_timestamp(), beat_at timestamptz default clock_timestamp(), ended_at timestamptz)`);
  return {
    projectRoot,
    env: {
      WINDHOVER_DATABASE_URL: made.url,
      WINDHOVER_SECRET_KEYS: generateSecretKey(),
      WINDHOVER_CONN_LEDGER: outside.url.replace(/^postgres(ql)?:/, 'postgres:'),
      WINDHOVER_LOCAL__PARALLELISM: '4',
      WINDHOVER_SCHEDULER__LEASE: '3s',
      WINDHOVER_SCHEDULER__HEARTBEAT: '1s',
      WINDHOVER_API__PORT: '0',
    },
    query: async (text, values) => (await platform.query(text, values)).rows,
    entries: async () => {
      const { rows } = await ledger.query(`select run_id as "runId", task_id as "taskId", attempt, pid,
        started_at as "startedAt", beat_at as "beatAt", ended_at as "endedAt" from entry order by started_at`);
      return rows;
    },
    close: async () => {
      await Promise.all([platform.end(), ledger.end()]);
      await dropWhenFree(made);
      await dropWhenFree(outside);
      rmSync(projectRoot, { recursive: true, force: true });
    },
  };
}

/** Processes that were killed leave connections that the server notices a moment later. */
async function dropWhenFree(database: TestDatabase): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await database.drop();
    } catch (error) {
      if (attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Pairs of attempts of one task that were under way at the same time. */
export function overlaps(entries: readonly Entry[]): string[] {
  const byTask = Map.groupBy(entries, ({ runId, taskId }) => `${runId} ${taskId}`);
  return [...byTask].flatMap(([name, attempts]) =>
    attempts.slice(1).flatMap((entry, index) => {
      const before = attempts[index]!;
      const isOverlap = entry.startedAt < (before.endedAt ?? before.beatAt);
      return isOverlap ? [`${name}: attempts ${before.attempt} and ${entry.attempt}`] : [];
    }),
  );
}
