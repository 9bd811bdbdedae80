/** `setTimeout` for waits beyond its 24.8 days. Answers the function that calls it off. */
export function setLongTimeout(ms: number, run: () => void): () => void {
  const endAt = performance.now() + ms;
  let timer: NodeJS.Timeout;
  const wait = () => {
    const leftMs = endAt - performance.now();
    timer = leftMs > MAX_TIMEOUT_MS ? setTimeout(wait, MAX_TIMEOUT_MS) : setTimeout(run, Math.max(0, leftMs));
  };
  wait();
  return () => clearTimeout(timer);
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;
