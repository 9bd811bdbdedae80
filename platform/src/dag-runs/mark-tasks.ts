import { type ActionStore, selectTasks, type TaskSelection } from './select-tasks.ts';

/** Sets tasks to an end, whatever they do; a waiting one's outside work is cancelled. A finished run is judged anew. */
export async function markTasks(
  store: ActionStore,
  selection: TaskSelection,
  state: 'success' | 'failed' | 'skipped',
): Promise<readonly string[]> {
  const { tasks } = await selectTasks(store, selection);
  const others = tasks.filter((task) => task.state !== state);
  await store.writer.submitAll(others.map(({ id }) => ({ id, type: 'mark', state })));
  return others.map(({ taskId }) => taskId);
}
