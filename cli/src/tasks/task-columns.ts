import type { TaskInstance } from '../api-client/tasks.ts';
import { formatDate, formatDuration, stateColour } from '../output/format.ts';
import type { Column } from '../output/table.ts';

/** For lists of the tasks of a run. */
export const TASK_COLUMNS: readonly Column<TaskInstance>[] = [
  { title: 'TASK', value: ({ taskId, mapIndex }) => (mapIndex < 0 ? taskId : `${taskId}[${mapIndex}]`) },
  { title: 'STATE', value: ({ state }) => state, colour: ({ state }) => stateColour(state) },
  { title: 'TRY', value: ({ tryNumber, maxTries }) => `${tryNumber}/${maxTries}`, align: 'right' },
  { title: 'OPERATOR', value: ({ operatorName }) => operatorName, isFlexible: true },
  { title: 'STARTED', value: ({ startedAt }) => formatDate(startedAt), isFlexible: true },
  { title: 'RAN', value: ({ runningMs }) => formatDuration(runningMs || null), align: 'right' },
  { title: 'WAITED', value: ({ deferredMs }) => formatDuration(deferredMs || null), align: 'right' },
  { title: 'ERROR', value: ({ error }) => error?.message ?? null, isFlexible: true },
];
