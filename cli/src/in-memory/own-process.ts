import { type LogLevel, serializeError } from '@windhover/core';
import { captureOutput, currentFrame, onStrayError } from '@windhover/worker';

/**
 * Takes what code of this process prints and throws outside of tasks, until the answered function is called: it belongs
 * to a trigger, or to nobody. While a task runs, `runTask` takes it for the task.
 */
export function ownProcess(write: (level: LogLevel, line: string) => void): () => void {
  const onExit = (code: number) => {
    write('error', 'The code that ran has called process.exit. On a worker that fails the task.');
    // Whoever ends a test by `process.exit(0)` has not passed it.
    process.exitCode = code || 1;
  };
  process.on('exit', onExit);
  const releases = [
    () => process.off('exit', onExit),
    captureOutput((level, line) => {
      const frame = currentFrame();
      if (frame) frame.write(level, line);
      else write(level, line);
    }),
    onStrayError((error) => {
      const frame = currentFrame();
      // One that a task has let go by is the task's to tell.
      if (frame) frame.fail(error);
      else if (process.listenerCount('uncaughtException') === 1) write('error', textOf(error));
    }),
  ];
  return () => {
    for (const release of releases) release();
  };
}

function textOf(error: unknown): string {
  const { stack, name, message } = serializeError(error);
  return `Nobody caught this error: ${stack ?? `${name}: ${message}`}`;
}
