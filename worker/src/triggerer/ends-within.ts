/** Waits for something, but not longer than this, and answers whether it has ended. Rejects if it does. */
export async function endsWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const limit = Promise.withResolvers<false>();
  const timer = setTimeout(limit.resolve, limitMs, false);
  try {
    return await Promise.race([work.then(() => true), limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}
