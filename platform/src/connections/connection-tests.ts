import type { ConnectionFields, ConnectionTestResult, Json, StartedConnectionTest } from '@windhover/core';
import {
  beginConnectionTest,
  endConnectionTest,
  getConnectionTest,
  insertConnectionTest,
} from '../store/connection-tests.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { Cipher } from '../task-instances/change-writer.ts';
import { ConnectionTestError } from './connection-test-error.ts';
import { ConnectionTypeError } from './connection-type-error.ts';

// A test runs a hook, which is a provider's code, so it is a workload. Who asks, who hands it out and who takes the
// answer may be three processes: they meet in the store.

export interface ConnectionTestStore {
  readonly database: Database;
  readonly cipher: Cipher;
  /** By connection type: the classpath of its hook, from the providers' manifests. */
  readonly connectionTypes: ReadonlyMap<string, string>;
}

/** Asks for a test of these fields, which need not be stored. Throws `ConnectionTypeError` where there is no hook. */
export async function requestConnectionTest(
  { database, cipher, connectionTypes }: ConnectionTestStore,
  connId: string,
  fields: ConnectionFields,
): Promise<{ readonly testId: string }> {
  const hook = connectionTypes.get(fields.connType);
  if (hook === undefined) throw new ConnectionTypeError(connId, fields.connType, [...connectionTypes.keys()].sort());
  const sealed = cipher.encrypt(fields as unknown as Json, purposeOf(connId));
  return { testId: await insertConnectionTest(database, { connId, fields: sealed, hook }) };
}

/** Null while it is not there. Throws `ConnectionTestError` for a test that does not exist any more. */
export async function getConnectionTestResult(
  database: Queryable,
  testId: string,
): Promise<ConnectionTestResult | null> {
  const test = await getConnectionTest(database, testId);
  if (!test) throw new ConnectionTestError(testId);
  return test.result;
}

export async function startConnectionTest(
  { database, cipher }: { readonly database: Queryable; readonly cipher: Cipher },
  testId: string,
): Promise<StartedConnectionTest> {
  const test = await beginConnectionTest(database, testId);
  if (!test) throw new ConnectionTestError(testId);
  const { connId, hook, fields } = test;
  return { connId, hook, fields: cipher.decrypt(fields, purposeOf(connId)) as unknown as ConnectionFields };
}

/** The second time nothing happens. */
export async function finishConnectionTest(
  database: Database,
  testId: string,
  result: ConnectionTestResult,
): Promise<void> {
  await endConnectionTest(database, testId, result);
}

function purposeOf(connId: string): string {
  return `connection_test.fields:${connId}`;
}
