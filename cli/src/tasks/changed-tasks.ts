import type { ChangedTasks } from '../api-client/dags.ts';
import { count, shellWord } from '../output/format.ts';
import type { Session } from '../session.ts';

export interface Change {
  /** `Cleared`, `Would clear`, `Stopped` … */
  readonly did: string;
  readonly ofRun: { readonly dagId: string; readonly runId: string };
  readonly isDryRun: boolean;
}

/** Says which tasks an action has changed, and where to see what comes of it. */
export function showChangedTasks({ output }: Session, changed: ChangedTasks, { did, ofRun, isDryRun }: Change): void {
  output.answer(changed, ({ taskIds }) => {
    const { dagId, runId } = ofRun;
    if (taskIds.length === 0) return output.line(`No task of run ${runId} of ${dagId} had to be changed.`);
    output.line(`${did} ${count(taskIds.length, 'task')} of run ${runId} of ${dagId}: ${taskIds.join(', ')}.`);
    if (!isDryRun) output.next(`windhover runs show ${shellWord(dagId)} ${shellWord(runId)}`);
  });
}
