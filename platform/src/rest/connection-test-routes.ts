import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionNotFoundError } from '@windhover/core';
import { z } from 'zod';
import { getConnectionTestResult, requestConnectionTest } from '../connections/connection-tests.ts';
import { ConnectionTypeError } from '../connections/connection-type-error.ts';
import { type Api, type ApiServices, audit } from './api.ts';
import { named } from './schemas.ts';

export function connectionTestRoutes(api: Api, services: ApiServices): void {
  const { database, lookup } = services;
  api.post(
    '/connections/:connId/test',
    {
      schema: {
        tags: ['Connections'],
        summary: 'Ask a worker whether the system behind a connection answers',
        params: z.object({ connId: z.string() }),
        response: { 200: testResult },
      },
    },
    async (request) => {
      const { connId } = request.params;
      const fields = await lookup.connection(connId);
      if (!fields) throw new ConnectionNotFoundError(connId);
      try {
        const { testId } = await requestConnectionTest(services, connId, fields);
        await audit(database, request, 'connection.test', connId);
        return await awaitConnectionTest(services, testId, TEST_MS);
      } catch (error) {
        if (error instanceof ConnectionTypeError) return { ok: false, message: error.message };
        throw error;
      }
    },
  );
}

/** Waits for the answer of a worker, and says so where none comes. */
export async function awaitConnectionTest(
  { database, closing }: Pick<ApiServices, 'database' | 'closing'>,
  testId: string,
  timeoutMs: number,
): Promise<z.output<typeof testResult>> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const result = await getConnectionTestResult(database, testId);
    if (result) return { ok: result.isSuccess, message: result.message };
    if (closing.aborted) return { ok: false, message: 'The server is closing. Ask again.' };
    if (performance.now() >= giveUpAt) {
      const message = `No worker has answered within ${timeoutMs / 1000} s. Is a scheduler with a free worker running?`;
      return { ok: false, message };
    }
    await sleep(LOOK_MS, undefined, { signal: closing }).catch(() => {});
  }
}

const TEST_MS = 30_000;
const LOOK_MS = 200;

const testResult = named('ConnectionTest', z.object({ ok: z.boolean(), message: z.string() }));
