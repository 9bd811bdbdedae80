import type { TriggerApi } from '@windhover/core';
import type { ExecutionApiClient } from './execution-api-client.ts';
import { ONCE, REPEATABLE, type RemoteMethods, remoteApi } from './remote-api.ts';

/** `token`: of the scope `trigger`, for the queues that `sync` will ask for. */
export function connectTriggerApi(client: ExecutionApiClient, token: string): TriggerApi {
  return remoteApi(METHODS, (method, args, options) => client.call(`trigger/${method}`, args, { ...options, token }));
}

const METHODS: RemoteMethods<TriggerApi> = {
  // A triggerer syncs again by itself, and then with what is true by then.
  sync: { ...ONCE, waitMs: ({ waitMs }) => waitMs },
  // An event that was applied already is answered `duplicate` or `stale`.
  submit: REPEATABLE,
  saveCheckpoint: REPEATABLE,
  connection: REPEATABLE,
  variable: REPEATABLE,
  getXCom: REPEATABLE,
  log: REPEATABLE,
  sendSignal: ONCE,
  listenSignal: { ...REPEATABLE, waitMs: (_lease, { waitMs }) => waitMs },
  runStates: REPEATABLE,
};
