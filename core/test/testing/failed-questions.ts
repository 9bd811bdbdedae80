import type { ConformanceTest } from '../../src/testing/conformance-test.ts';

/** The names of the questions that a broken implementation fails. */
export async function failedQuestions(suite: readonly ConformanceTest[]): Promise<readonly string[]> {
  const results = await Promise.allSettled(suite.map(({ run }) => run()));
  return suite.filter((_, index) => results[index]!.status === 'rejected').map(({ name }) => name);
}
