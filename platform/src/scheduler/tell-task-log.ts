import type { LogChunk, LogStore } from '@windhover/core';
import type { ChangeResult } from '../task-instances/change-writer.ts';
import type { TaskChange } from '../task-instances/task-change.ts';

/** What happened to tasks without their doing goes to their logs: their own code cannot say it any more. */
export async function tellTaskLogs(
  logStore: LogStore,
  changes: readonly TaskChange[],
  results: readonly ChangeResult[],
): Promise<void> {
  const chunks = changes.flatMap((change, index): LogChunk[] => {
    const { answer, row, now } = results[index]!;
    if (answer !== 'applied' || !row || !('epoch' in change)) return [];
    const message = 'reason' in change && row.state === 'scheduled' ? lostEarly(change.reason) : row.error?.message;
    if (!message) return [];
    const { dagId, runId, taskId, mapIndex, attempt } = row;
    const stream = { type: 'task', dagId, runId, taskId, mapIndex, attempt } as const;
    const records = [{ at: now.toISOString(), level: 'error', message } as const];
    return [{ stream, writer: `platform:${change.epoch}`, sequence: 0, records }];
  });
  if (chunks.length > 0) await logStore.append(chunks);
}

function lostEarly(reason: string): string {
  return `The worker was lost before the task began, which costs no try: ${reason}`;
}
