import { Database } from './database.ts';
import { DatabaseError } from './database-error.ts';
import { pendingMigrations } from './migrate.ts';

/**
 * For the entry point of a server: throws `DatabaseError` with what to do where the database cannot be reached, is too
 * old, or lacks the schema of this version.
 */
export async function checkDatabase(url: string, options: { readonly mayLackSchema?: boolean } = {}): Promise<void> {
  const place = placeOf(url);
  const database = new Database({ url, poolSize: 1 });
  try {
    const { rows } = await database.query<{ version: number }>(
      "select current_setting('server_version_num')::int as version",
    );
    const { version } = rows[0]!;
    if (version < OLDEST_VERSION)
      throw new DatabaseError(place, `its PostgreSQL is ${Math.floor(version / 10_000)}; 15 or later is needed.`);
    if (options.mayLackSchema) return;
    const pending = await pendingMigrations(database);
    if (pending === null) throw new DatabaseError(place, 'it has no schema yet. Run: windhover db migrate');
    if (pending.length > 0)
      throw new DatabaseError(place, `its schema lacks ${pending.length} migrations. Run: windhover db migrate`);
  } catch (error) {
    throw error instanceof DatabaseError ? error : new DatabaseError(place, reasonOf(error), { cause: error });
  } finally {
    await database.close();
  }
}

const OLDEST_VERSION = 150_000;

function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'localhost'}:${port || 5432}${pathname}`;
}

function reasonOf(error: unknown): string {
  const { code, message, errors } = error as { code?: string; message?: string; errors?: readonly Error[] };
  switch (code) {
    case 'ECONNREFUSED':
      return 'no server listens there. Start it, or set WINDHOVER_DATABASE_URL to another.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'there is no such host. Check WINDHOVER_DATABASE_URL.';
    case '3D000':
      return 'the server has no database of that name. Make it with createdb, then run: windhover db migrate';
    case '28P01':
    case '28000':
      return 'the server refuses the user or the password. Check WINDHOVER_DATABASE_URL.';
    default:
      // Of a host with several addresses, the message is that of the attempts.
      return message || errors?.map((each) => each.message).join('; ') || String(error);
  }
}
