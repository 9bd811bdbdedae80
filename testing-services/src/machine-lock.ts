import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs something in one process of this machine at a time. The lock is a socket in Linux's abstract namespace, which is
 * gone with its process: a killed holder leaves nothing to clean up.
 */
export async function withMachineLock<T>(name: string, run: () => Promise<T>): Promise<T> {
  let lock = await tryLock(name);
  while (!lock) {
    await sleep(50);
    lock = await tryLock(name);
  }
  try {
    return await run();
  } finally {
    await new Promise((resolve) => lock.close(resolve));
  }
}

function tryLock(name: string): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: { code?: string }) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(`\0windhover-${name}`, () => resolve(server.unref()));
  });
}
