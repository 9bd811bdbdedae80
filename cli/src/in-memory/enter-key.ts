import type { Readable } from 'node:stream';

/** Resolves when Enter is pressed. What is typed otherwise is left to the terminal, and nothing is read after `signal`. */
export function enterKey(stdin: Readable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const leave = () => {
      stdin.off('data', onData);
      stdin.pause();
      signal.removeEventListener('abort', leave);
    };
    // A terminal sends whole lines, so what comes ends with Enter.
    const onData = () => {
      leave();
      resolve();
    };
    signal.addEventListener('abort', leave);
    stdin.on('data', onData);
  });
}
