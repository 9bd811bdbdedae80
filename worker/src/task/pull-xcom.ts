import {
  type CallbackHandOff,
  deserialize,
  RETURN_VALUE,
  type TaskApi,
  type TaskHandOff,
  type XComBackend,
  type XComPullOptions,
} from '@windhover/core';
import { XComBackendMissingError } from './xcom-backend-missing-error.ts';

/** What a task has pushed, from the database or from the backend that keeps it; undefined where there is nothing. */
export async function pullXCom<T>(
  taskApi: TaskApi,
  handOff: TaskHandOff | CallbackHandOff,
  backend: XComBackend | undefined,
  taskId: string,
  options: XComPullOptions = {},
): Promise<T | undefined> {
  const { key = RETURN_VALUE, mapIndex = -1, runId, dagId } = options;
  const query = {
    taskId,
    key,
    mapIndex,
    ...(runId !== undefined && { runId }),
    ...(dagId !== undefined && { dagId }),
  };
  const answer = await taskApi.getXCom(handOff, query);
  if (answer.type === 'none') return undefined;
  if (answer.type === 'value') return deserialize<T>(answer.value);
  if (!backend) throw new XComBackendMissingError(taskId, key);
  return deserialize<T>(await backend.load(answer.reference));
}
