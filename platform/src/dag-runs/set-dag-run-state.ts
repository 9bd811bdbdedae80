import { markRun } from '../store/dag-runs.ts';
import { type ActionStore, selectTasks, unfinished } from './select-tasks.ts';

/**
 * Ends a run by a user's word. Its unfinished tasks end with it: as a success, or `stopped` where the run is to have
 * failed. Whoever executed the run has lost its lock.
 */
export async function setDagRunState(
  store: ActionStore,
  run: { readonly dagId: string; readonly runId: string },
  state: 'success' | 'failed',
): Promise<void> {
  const { run: stored, tasks } = await selectTasks(store, run);
  await markRun(store.database, stored.id, state, `marked ${state} by a user`);
  const open = unfinished(tasks);
  await store.writer.submitAll(
    open.map(({ id }) => ({ id, type: 'end', state: state === 'success' ? 'success' : 'stopped' })),
  );
}
