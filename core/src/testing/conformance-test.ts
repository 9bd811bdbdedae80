import { canonicalize } from '../serde/canonicalize.ts';

/**
 * One question of a conformance suite. A suite is a list of them, for whichever test runner:
 *
 * ```ts
 * for (const { name, run } of testTrigger({ … })) test(name, run);
 * ```
 */
export interface ConformanceTest {
  /** A sentence about behaviour. */
  readonly name: string;
  run(): Promise<unknown>;
}

/** What a question found. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError';
}

export function check(condition: unknown, message: string): asserts condition {
  if (!condition) throw new ConformanceError(message);
}

/** Compares what storage would compare; `what` begins the message. */
export function checkEqual(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [text(actual), text(expected)];
  if (found !== wanted) throw new ConformanceError(`${what}: expected ${wanted}, found ${found}`);
}

export async function checkRejects(promise: Promise<unknown>, message: string): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new ConformanceError(message);
}

function text(value: unknown): string {
  return value === undefined ? 'undefined' : canonicalize(value);
}
