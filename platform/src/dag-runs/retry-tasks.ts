import { type ActionStore, selectTasks, type TaskSelection } from './select-tasks.ts';

/** Does not wait for the retry delay. Answers the tasks that were waiting for their retry. */
export async function retryTasksNow(store: ActionStore, selection: TaskSelection): Promise<readonly string[]> {
  const { tasks } = await selectTasks(store, selection);
  const waiting = tasks.filter(({ state }) => state === 'up_for_retry');
  const results = await store.writer.submitAll(waiting.map(({ id }) => ({ id, type: 'retryNow' })));
  return waiting.filter((_task, index) => results[index]?.answer === 'applied').map(({ taskId }) => taskId);
}
