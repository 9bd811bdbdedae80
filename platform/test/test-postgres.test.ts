import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from './support/test-postgres.ts';

test('a test database is empty, its own, and gone after the drop', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await query(one.url, 'create table note (text text)');
  await expect(query(two.url, 'select * from note')).rejects.toThrow('does not exist');
  await Promise.all([one.drop(), two.drop()]);
  await expect(query(one.url, 'select 1')).rejects.toThrow('does not exist');
});

test('a test database can be a copy of another one', async () => {
  const template = await createTestDatabase();
  await query(template.url, "create table note as select 'kept' as text");
  const copy = await createTestDatabase({ template: template.name });
  expect(await query(copy.url, 'select text from note')).toEqual([{ text: 'kept' }]);
  await copy.drop();
  await template.drop();
});

test('a connection that is left open fails the drop and is named by its last statement', async () => {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.url });
  client.on('error', () => {});
  await client.connect();
  await client.query('select 42');
  await expect(database.drop()).rejects.toThrow('select 42');
  await client.end().catch(() => {});
}, 15_000);

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
