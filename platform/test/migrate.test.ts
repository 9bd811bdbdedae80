import { afterAll, beforeAll, expect, test } from 'vitest';
import { Database } from '../src/store/database.ts';
import { migrate, pendingMigrations, readMigrations } from '../src/store/migrate.ts';
import { createTestDatabase, type TestDatabase } from './support/test-postgres.ts';

let made: TestDatabase;
let database: Database;
beforeAll(async () => {
  made = await createTestDatabase();
  database = new Database({ url: made.url });
});
afterAll(async () => {
  await database.close();
  await made.drop();
});

test('processes that migrate at once take turns: each migration is applied once', async () => {
  expect(await pendingMigrations(database)).toBe(null);
  const others = Array.from({ length: 4 }, () => new Database({ url: made.url }));
  const applied = await Promise.all(others.map((other) => migrate(other)));
  for (const other of others) await other.close();
  expect(applied.flat()).toEqual(readMigrations().map(({ version }) => version));
  expect(await pendingMigrations(database)).toEqual([]);
});

test('the second migration does no harm', async () => {
  expect(await migrate(database)).toEqual([]);
});

test('a migration that was edited, or that only a newer version knows, is refused', async () => {
  const [first] = readMigrations();
  await expect(migrate(database, [{ ...first!, checksum: 'other' }])).rejects.toThrow(
    'The database cannot be migrated: migration 1 (initial) was applied with another content.',
  );
  await expect(migrate(database, [])).rejects.toThrow('which this version of Windhover does not know');
});

test('a broken migration leaves nothing behind', async () => {
  const broken = {
    version: 999_999,
    name: 'broken',
    sql: 'create table half (id int); select nonsense',
    checksum: 'x',
  };
  await expect(migrate(database, [...readMigrations(), broken])).rejects.toThrow(/nonsense/);
  const { rows } = await database.query("select to_regclass('half') as half");
  expect(rows[0].half).toBe(null);
});
