import type { Dag, DagTask } from '../api-client/dags.ts';
import { formatDate, stateColour } from '../output/format.ts';
import type { Column } from '../output/table.ts';

export const DAG_COLUMNS: readonly Column<Dag>[] = [
  { title: 'DAG', value: ({ dagId }) => dagId },
  { title: 'PAUSED', value: ({ isPaused }) => (isPaused ? 'yes' : 'no'), colour: (dag) => pausedColour(dag) },
  { title: 'SCHEDULE', value: ({ scheduleText }) => scheduleText, isFlexible: true },
  { title: 'NEXT RUN', value: ({ isPaused, nextRunAt }) => (isPaused ? null : formatDate(nextRunAt)) },
  {
    title: 'LAST RUN',
    value: ({ lastRun }) => lastRun?.state ?? null,
    colour: ({ lastRun }) => lastRun && stateColour(lastRun.state),
  },
  { title: 'TASKS', value: ({ taskCount }) => taskCount, align: 'right' },
  { title: 'TAGS', value: ({ tags }) => tags.join(', '), isFlexible: true },
  { title: 'FILE', value: ({ file, isActive }) => (isActive ? file : `${file} (gone)`), isFlexible: true },
];

export const DAG_TASK_COLUMNS: readonly Column<DagTask>[] = [
  { title: 'TASK', value: ({ taskId }) => taskId },
  { title: 'OPERATOR', value: ({ operatorName }) => operatorName, isFlexible: true },
  { title: 'AFTER', value: ({ upstreamTaskIds }) => upstreamTaskIds.join(', '), isFlexible: true },
  { title: 'RULE', value: ({ triggerRule }) => triggerRule, isFlexible: true },
  { title: 'RETRIES', value: ({ retries }) => retries, align: 'right' },
  { title: 'POOL', value: ({ pool }) => pool, isFlexible: true },
  { title: 'EXECUTOR', value: ({ executor }) => executor, isFlexible: true },
];

function pausedColour({ isPaused }: Dag): 'yellow' | null {
  return isPaused ? 'yellow' : null;
}
