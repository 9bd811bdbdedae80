import { type ActionStore, selectTasks, type TaskSelection, unfinished } from './select-tasks.ts';

/** Asks tasks to end: running ones get their grace, waiting ones end at once and their outside work is cancelled. */
export async function stopTasks(store: ActionStore, selection: TaskSelection): Promise<readonly string[]> {
  const tasks = unfinished((await selectTasks(store, selection)).tasks);
  await store.writer.submitAll(tasks.map(({ id }) => ({ id, type: 'stop' })));
  return tasks.map(({ taskId }) => taskId);
}
