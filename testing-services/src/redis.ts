import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installDebianPackages } from './debian-packages.ts';
import { freePort, ServerProcess } from './server-process.ts';

export interface TestServer {
  readonly url: string;
  /** Kills it and starts it again at the same address; what it had confirmed is still there. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A Redis of one's own, on loopback, that writes everything down before it answers. Answers the reason where it cannot
 * be had; never when `CI` is set, there that is an error.
 */
export async function startRedis(): Promise<TestServer | { readonly missing: string }> {
  const { missing } = await installDebianPackages(['redis-server'], ['redis-server']);
  if (missing !== null) {
    if (process.env.CI) throw new Error(`The tests need Redis: ${missing}`);
    return { missing };
  }
  const folder = await mkdtemp(join(tmpdir(), 'windhover-redis-'));
  const port = await freePort();
  const launch = () =>
    ServerProcess.start({
      program: 'redis-server',
      args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...DURABLE],
      port,
    });
  let server = await launch();
  return {
    url: `redis://127.0.0.1:${port}/0`,
    async restart() {
      await server.kill();
      server = await launch();
    },
    async stop() {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];
