import type { DagApi } from '@windhover/core';
import type { ExecutionApiClient } from './execution-api-client.ts';
import { REPEATABLE, type RemoteMethods, remoteApi } from './remote-api.ts';

/** `token`: of the scope `dag`. */
export function connectDagApi(client: ExecutionApiClient, token: string): DagApi {
  return remoteApi(METHODS, (method, args, options) => client.call(`dag/${method}`, args, { ...options, token }));
}

const METHODS: RemoteMethods<DagApi> = { putDagFile: REPEATABLE, putDagFileList: REPEATABLE };
