import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Database } from './database.ts';
import { MigrationError } from './migration-error.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/**
 * Brings the schema up to date and answers the versions it applied. Safe when several processes do it at once: they take
 * turns, and those that come later find nothing to do. Forward only; a released file is never changed.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = readMigrations(),
): Promise<readonly number[]> {
  return database.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(`create table if not exists schema_migration (
      version integer primary key, name text not null, checksum text not null, applied_at timestamptz(3) not null default now())`);
    const { rows } = await client.query<Migration>(
      'select version, name, checksum from schema_migration order by version',
    );
    const applied = new Map(rows.map((row) => [row.version, row]));
    checkHistory(applied, migrations);
    const open = migrations.filter(({ version }) => !applied.has(version));
    for (const { version, name, sql, checksum } of open) {
      await client.query(sql);
      await client.query('insert into schema_migration (version, name, checksum) values ($1, $2, $3)', [
        version,
        name,
        checksum,
      ]);
    }
    return open.map(({ version }) => version);
  });
}

/** What `db check` tells: the versions that are not applied yet. Null where there is no schema at all. */
export async function pendingMigrations(database: Database): Promise<readonly number[] | null> {
  const { rows } = await database.query<{ exists: boolean }>(
    "select to_regclass('schema_migration') is not null as exists",
  );
  if (!rows[0]!.exists) return null;
  const applied = await database.query<{ version: number }>('select version from schema_migration');
  const known = new Set(applied.rows.map(({ version }) => version));
  return readMigrations()
    .map(({ version }) => version)
    .filter((version) => !known.has(version));
}

export function readMigrations(): readonly Migration[] {
  const folder = fileURLToPath(new URL('../../migrations', import.meta.url));
  return readdirSync(folder)
    .filter((file) => /^\d{6}_.*\.sql$/.test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(`${folder}/${file}`, 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { version: Number(file.slice(0, 6)), name: file.slice(7, -4), sql, checksum };
    });
}

const MIGRATION_LOCK = 0x77_68_01;

function checkHistory(applied: ReadonlyMap<number, Migration>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const { version, name, checksum } of applied.values()) {
    const ours = known.get(version);
    if (!ours)
      throw new MigrationError(
        `the database has migration ${version} (${name}), which this version of Windhover does not know`,
        'Update Windhover in this process.',
      );
    if (ours.checksum !== checksum)
      throw new MigrationError(
        `migration ${version} (${name}) was applied with another content`,
        'Released migrations are never edited; restore the file.',
      );
  }
}
