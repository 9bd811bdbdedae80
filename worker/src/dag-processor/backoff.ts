/** A quarter of a second, then twice as long each time, at most ten seconds. */
export function backoffMs(attempt: number): number {
  return Math.min(10_000, 250 * 2 ** attempt);
}
