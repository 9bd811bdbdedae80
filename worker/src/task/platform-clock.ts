/** The database's clock: what it showed at an answer that has just come, and the time since then. */
export function platformClock(now: string): () => Date {
  const at = Date.parse(now);
  const receivedAt = performance.now();
  return () => new Date(at + (performance.now() - receivedAt));
}
