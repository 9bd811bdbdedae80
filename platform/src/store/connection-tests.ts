import type { ConnectionTestResult } from '@windhover/core';
import type { Database, Queryable } from './database.ts';

export interface NewConnectionTest {
  readonly connId: string;
  /** Encrypted. */
  readonly fields: Buffer;
  readonly hook: string;
}

/** Also removes what nobody will ask for any more. */
export async function insertConnectionTest(database: Database, test: NewConnectionTest): Promise<string> {
  return database.transaction(async (client) => {
    await client.query("delete from connection_test where created_at < now() - interval '1 hour'");
    const { rows } = await client.query<{ id: number }>(
      'insert into connection_test (conn_id, fields, hook) values ($1, $2, $3) returning id',
      [test.connId, test.fields, test.hook],
    );
    await client.query("select pg_notify('windhover_run', '')");
    return String(rows[0]!.id);
  });
}

/** Takes tests that wait, to hand them out; answers their ids. */
export async function claimConnectionTests(client: Queryable, limit: number): Promise<string[]> {
  const { rows } = await client.query<{ id: number }>(
    `update connection_test set state = 'dispatched' where id in (
       select id from connection_test where state = 'waiting' order by id limit $1 for update skip locked)
     returning id`,
    [limit],
  );
  return rows.map(({ id }) => String(id));
}

/** May be asked again until it has ended; null then. */
export async function beginConnectionTest(client: Queryable, testId: string): Promise<NewConnectionTest | null> {
  const { rows } = await client.query<NewConnectionTest>(
    `update connection_test set state = 'running' where id = $1 and state <> 'ended'
     returning conn_id as "connId", fields, hook`,
    [testId],
  );
  return rows[0] ?? null;
}

/** The fields are forgotten: they may hold a password that was never stored anywhere else. */
export async function endConnectionTest(
  client: Queryable,
  testId: string,
  result: ConnectionTestResult,
): Promise<void> {
  await client.query(
    `update connection_test set state = 'ended', result = $2, fields = '' where id = $1 and state <> 'ended'`,
    [testId, JSON.stringify(result)],
  );
}

/** Null when there is no such test. */
export async function getConnectionTest(
  client: Queryable,
  testId: string,
): Promise<{ readonly result: ConnectionTestResult | null } | null> {
  const { rows } = await client.query<{ result: ConnectionTestResult | null }>(
    'select result from connection_test where id = $1',
    [testId],
  );
  return rows[0] ?? null;
}
