import type { DagRun } from '../api-client/dags.ts';
import { durationBetween, formatDate, formatDuration, stateColour } from '../output/format.ts';
import type { Column } from '../output/table.ts';

/** For lists of runs. */
export const RUN_COLUMNS: readonly Column<DagRun>[] = [
  { title: 'DAG', value: ({ dagId }) => dagId },
  { title: 'RUN', value: ({ runId }) => runId },
  { title: 'STATE', value: ({ state }) => state, colour: ({ state }) => stateColour(state) },
  { title: 'STARTED', value: ({ startedAt }) => formatDate(startedAt), isFlexible: true },
  {
    title: 'TOOK',
    value: ({ startedAt, endedAt }) => formatDuration(durationBetween(startedAt, endedAt)),
    align: 'right',
  },
  { title: 'REASON', value: ({ reason }) => reason, isFlexible: true },
];
