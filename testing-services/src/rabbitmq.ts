import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installDebianPackages } from './debian-packages.ts';
import type { TestServer } from './redis.ts';
import { freePort, ServerProcess } from './server-process.ts';

/**
 * A RabbitMQ of one's own, on loopback; it takes about five seconds to start. Answers the reason where it cannot be
 * had; never when `CI` is set, there that is an error.
 */
export async function startRabbitMq(): Promise<TestServer | { readonly missing: string }> {
  const { missing } = await installDebianPackages(['rabbitmq-server'], ['rabbitmq-server']);
  if (missing !== null) {
    if (process.env.CI) throw new Error(`The tests need RabbitMQ: ${missing}`);
    return { missing };
  }
  const folder = await mkdtemp(join(tmpdir(), 'windhover-rabbitmq-'));
  const [port, distributionPort] = [await freePort(), await freePort()];
  const launch = () =>
    ServerProcess.start({
      // Not the one on the PATH, which wants to become another user.
      program: '/usr/lib/rabbitmq/bin/rabbitmq-server',
      args: [],
      port,
      env: {
        HOME: folder,
        RABBITMQ_NODENAME: `windhover${port}@localhost`,
        RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
        RABBITMQ_NODE_PORT: String(port),
        RABBITMQ_DIST_PORT: String(distributionPort),
        RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
        RABBITMQ_LOG_BASE: join(folder, 'log'),
        RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
        ERL_EPMD_ADDRESS: '127.0.0.1',
      },
    });
  let server = await launch();
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}/`,
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
