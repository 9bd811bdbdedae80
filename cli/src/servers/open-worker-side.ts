import type { DagApi, TriggerApi } from '@windhover/core';
import { connectDagApi, connectTriggerApi, ExecutionApiClient } from '@windhover/worker';
import { locateServer } from '../api-client/locate-server.ts';
import type { Io } from '../io.ts';
import { ServerSetupError } from './server-setup-error.ts';

/** For processes without database credentials: the API server's address and a token of their own. */
export function openWorkerSide(io: Io): {
  readonly triggerApi: TriggerApi;
  readonly dagApi: DagApi;
  stop(): Promise<void>;
} {
  const token = io.env.WINDHOVER_EXECUTION_TOKEN?.trim();
  if (!token)
    throw new ServerSetupError(
      'WINDHOVER_EXECUTION_TOKEN is not set. Make one where the secret keys are: windhover tokens create --scope trigger (or dag).',
    );
  const { url } = locateServer({ url: undefined, token: undefined, env: io.env, cwd: io.cwd });
  const client = new ExecutionApiClient(url);
  return {
    triggerApi: connectTriggerApi(client, token),
    dagApi: connectDagApi(client, token),
    stop: () => client.close(),
  };
}
