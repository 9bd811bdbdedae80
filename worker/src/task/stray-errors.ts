/**
 * Hears of errors that nobody caught in this process, which then do not end it. Answers the function that ends this.
 *
 * One that a former task left behind comes here too, and counts against the task that runs now: Node does not tell
 * whose promise it was.
 */
export function onStrayError(listener: (error: unknown) => void): () => void {
  process.on('uncaughtException', listener);
  process.on('unhandledRejection', listener);
  return () => {
    process.off('uncaughtException', listener);
    process.off('unhandledRejection', listener);
  };
}
