import { JobFailedError } from '@windhover/core';
import type { StatementEnd } from './snowflake-sql-api-hook.ts';

/** The ids of a statement's queries, or its failure thrown: a retry then submits anew. */
export function queryIdsOf(end: StatementEnd): readonly string[] {
  if (end.status === 'done') return end.queryIds;
  const { code, sqlState, message } = end.error;
  const number = sqlState === undefined ? code : `${code}, ${sqlState}`;
  throw new JobFailedError(`Snowflake query ${end.queryId} failed (${number}): ${message}`);
}

/** How a submission or a read is tried again: passing failures cost seconds, not the task. */
export const PATIENCE = { interval: '1s', exponentialBackoff: true, maxInterval: '30s', maxFailures: 6 } as const;

/** Says in Snowflake's history and bills whose query it is. */
export function queryTag({ dagId, taskId, runId }: { dagId: string; taskId: string; runId: string }): string {
  return JSON.stringify({ windhover: { dagId, taskId, runId } });
}
