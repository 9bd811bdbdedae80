import type { Logger } from '@windhover/core';
import { EXIT } from '../exit-codes.ts';
import { RunningServers } from './running-server.ts';

/**
 * Starts servers and waits until a signal, or their own end, stops them in reverse order. Where one cannot be started,
 * those before it are stopped. A second signal ends the process at once.
 *
 * @param start answers, in `whenOver`, when it ends by itself. Default: never.
 */
export async function runUntilStopped(
  log: Logger,
  start: (running: RunningServers) => Promise<{ readonly whenOver?: Promise<void> }>,
): Promise<void> {
  const asked = Promise.withResolvers<void>();
  let isAsked = false;
  const onSignal = () => {
    if (isAsked) process.exit(EXIT.interrupted);
    isAsked = true;
    log.info('Stopping. Once more ends it at once.');
    asked.resolve();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const running = new RunningServers();
  try {
    const { whenOver = asked.promise } = await start(running);
    await Promise.race([asked.promise, whenOver]);
  } finally {
    await running.stop();
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
