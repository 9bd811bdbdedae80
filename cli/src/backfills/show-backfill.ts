import type { Backfill } from '../api-client/backfills.ts';
import { path } from '../api-client/path.ts';
import { formatDate } from '../output/format.ts';
import type { Colour } from '../output/output.ts';
import type { Session } from '../session.ts';
import { progressLine } from './progress.ts';

export async function listBackfills({ api, output }: Session, dagId: string | undefined, limit: number): Promise<void> {
  const { items, hasMore } = await api.first<Backfill>(limit, '/backfills', { dagId });
  output.table(items, {
    columns: [
      { title: 'ID', value: ({ id }) => id, align: 'right' },
      { title: 'DAG', value: (backfill) => backfill.dagId },
      { title: 'FROM', value: ({ from }) => formatDate(from) },
      { title: 'TO', value: ({ to }) => formatDate(to) },
      { title: 'STATE', value: stateOf, colour: (backfill) => STATE_COLOURS[stateOf(backfill)] },
      {
        title: 'RUNS',
        value: ({ progress }) => `${progress.finishedDagRuns}/${progress.totalDagRuns}`,
        align: 'right',
      },
      { title: 'FAILED TASKS', value: ({ progress }) => progress.failed, align: 'right' },
    ],
    empty: 'No backfills. Create one with: windhover backfill <dagId> --from <date> --to <date>',
    hasMore,
  });
}

export async function showBackfill({ api, output }: Session, id: number): Promise<void> {
  const backfill = await api.get<Backfill>(path`/backfills/${id}`);
  if (output.isJson) return output.document(backfill);
  const state = stateOf(backfill);
  output.facts({
    backfill: String(backfill.id),
    dag: backfill.dagId,
    from: formatDate(backfill.from),
    to: formatDate(backfill.to),
    state: output.paint(STATE_COLOURS[state], state),
    order: backfill.isReverse ? 'newest first' : 'oldest first',
    reruns: REPROCESS[backfill.reprocess],
    'max active runs': String(backfill.maxActiveRuns),
    conf: Object.keys(backfill.conf).length > 0 ? JSON.stringify(backfill.conf) : null,
    created: formatDate(backfill.createdAt),
    ended: formatDate(backfill.endedAt),
  });
  output.line(progressLine(backfill.progress));
  if (state === 'paused') output.next(`windhover backfill resume ${id}`, `windhover backfill cancel ${id}`);
  else output.next(`windhover runs list --backfill ${id}`);
}

/** `windhover backfill pause`, `cancel`, and `resume --detach` */
export async function changeBackfill(
  { api, output }: Session,
  id: number,
  action: 'pause' | 'resume' | 'cancel',
): Promise<void> {
  const backfill = await api.post<Backfill>(path`/backfills/${id}/${action}`);
  output.answer(backfill, () => {
    output.line(`${DONE[action]} backfill ${id} of ${backfill.dagId}.`);
    output.next(action === 'pause' ? `windhover backfill resume ${id}` : `windhover backfill show ${id}`);
  });
}

const DONE = { pause: 'Paused', resume: 'Resumed', cancel: 'Cancelled' } as const;
const REPROCESS = { none: 'nothing', failed: 'failed runs', all: 'all runs' } as const;
const STATE_COLOURS: Readonly<Record<BackfillState, Colour>> = {
  running: 'cyan',
  paused: 'yellow',
  cancelled: 'red',
  ended: 'gray',
};

type BackfillState = 'running' | 'paused' | 'cancelled' | 'ended';

function stateOf({ isPaused, isCancelled, endedAt }: Backfill): BackfillState {
  if (isCancelled) return 'cancelled';
  if (endedAt !== null) return 'ended';
  return isPaused ? 'paused' : 'running';
}
