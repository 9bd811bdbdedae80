import type { HeartbeatAnswer, TaskApi, TaskHandOff } from '@windhover/core';

/**
 * Asks again and again whether a task is to stop, until the answered function is called. Each question waits with the
 * platform until there is something to say, so a stop arrives at once; where the platform does not wait, the next
 * question comes after the interval.
 */
export function askHeartbeats(
  taskApi: TaskApi,
  handOff: TaskHandOff,
  intervalMs: number,
  onStop: (stop: Extract<HeartbeatAnswer, { action: 'stop' }>) => void,
): () => void {
  let timer: NodeJS.Timeout;
  let isOver = false;
  const ask = async () => {
    const askedAt = performance.now();
    try {
      const answer = await taskApi.heartbeat(handOff, intervalMs);
      if (answer.action === 'stop' && !isOver) onStop(answer);
    } catch {
      // Who overtook this hand-off is seen on the way; for the rest, the next one may get through.
    }
    if (!isOver) timer = setTimeout(ask, Math.max(0, intervalMs - (performance.now() - askedAt)));
  };
  timer = setTimeout(ask, Math.min(FIRST_MS, intervalMs));
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Tasks that are over before cost no question. */
const FIRST_MS = 50;
