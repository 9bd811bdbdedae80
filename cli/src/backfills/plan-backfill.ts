import type { BackfillPlan, PlannedDate } from '../api-client/backfills.ts';
import { count, formatDate } from '../output/format.ts';
import type { Session } from '../session.ts';

/** `windhover backfill … --dry-run` */
export async function planBackfill({ api, output }: Session, request: object): Promise<void> {
  const plan = await api.post<BackfillPlan>('/backfills', { ...request, dryRun: true });
  if (output.isJson) return output.document(plan);
  const { dates } = plan;
  output.table(dates, {
    columns: [
      { title: 'LOGICAL DATE', value: ({ logicalDate }) => formatDate(logicalDate) },
      { title: 'ACTION', value: ({ action }) => action },
      { title: 'EXISTING RUN', value: ({ runId }) => runId ?? null },
    ],
    empty: 'The schedule of the DAG has no date in this range.',
  });
  const number = (action: PlannedDate['action']) => dates.filter((date) => date.action === action).length;
  if (dates.length > 0)
    output.line(
      `Would create ${count(number('create'), 'run')}, run ${number('rerun')} again and skip ${number('skip')}. Leave out --dry-run to do it.`,
    );
}
