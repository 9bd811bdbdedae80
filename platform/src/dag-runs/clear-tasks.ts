import { type ActionStore, selectTasks, type TaskSelection } from './select-tasks.ts';

/**
 * Makes tasks run again, as if they had never run: steps and results go, a new attempt begins. A running task is asked
 * to end first. A run that had finished is taken up again, in the same transaction. Answers the tasks.
 */
export async function clearTasks(
  store: ActionStore,
  selection: TaskSelection,
  options: { readonly dryRun?: boolean } = {},
): Promise<readonly string[]> {
  const { tasks } = await selectTasks(store, selection);
  const begun = tasks.filter(({ state }) => state !== 'none');
  if (!options.dryRun) await store.writer.submitAll(begun.map(({ id }) => ({ id, type: 'clear' })));
  return begun.map(({ taskId }) => taskId);
}
