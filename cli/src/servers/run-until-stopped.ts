import type { Logger } from '@windhover/core';
import { EXIT } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import type { RunningServer } from './running-server.ts';

/** Starts a server and waits until a signal, or its own end, stops it. A second signal ends the process at once. */
export async function runUntilStopped(
  session: Session,
  log: Logger,
  start: () => Promise<RunningServer & { whenOver?(): Promise<void> }>,
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
  try {
    const server = await start();
    await Promise.race([asked.promise, server.whenOver?.() ?? asked.promise]);
    await server.stop();
    session.exitCode = EXIT.ok;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
