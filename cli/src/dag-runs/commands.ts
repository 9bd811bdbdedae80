import { DAG_RUN_STATES, DAG_RUN_TYPES, isDagRunFinished } from '@windhover/core';
import { Argument, type Command, Option } from 'commander';
import type { ChangedTasks, DagRun, DagRunDetails } from '../api-client/dags.ts';
import { path } from '../api-client/path.ts';
import type { TaskInstance } from '../api-client/tasks.ts';
import { examples } from '../help.ts';
import { limitOption } from '../input/limit-option.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { durationBetween, formatDate, formatDuration, shellWord, stateColour } from '../output/format.ts';
import type { Session } from '../session.ts';
import { showChangedTasks } from '../tasks/changed-tasks.ts';
import { TASK_COLUMNS } from '../tasks/task-columns.ts';
import { listRuns } from './list-runs.ts';

const RUN_ID = 'the name of the run, as `windhover runs list` shows it';
const EXAMPLE_RUN = 'hello scheduled__2026-01-01T00:00:00.000Z';

export function addDagRunCommands(program: Command, session: Session): void {
  const runs = program.command('runs').description('runs of DAGs: list, show, clear, mark');

  runs
    .command('list')
    .description('list runs, the newest first')
    .option('--dag <dagId>', 'only runs of this DAG')
    .addOption(new Option('--state <state>', 'only runs in this state').choices(DAG_RUN_STATES))
    .addOption(new Option('--type <type>', 'only runs started this way').choices(DAG_RUN_TYPES))
    .option('--backfill <id>', 'only runs of this backfill', wholeNumber(1))
    .addOption(limitOption())
    .addHelpText('after', examples('windhover runs list', 'windhover runs list --dag hello --state failed'))
    .action(({ dag, state, type, backfill, limit }) =>
      listRuns(session, { dagId: dag, state, runType: type, backfillId: backfill }, limit),
    );

  runs
    .command('show')
    .description('show a run and its tasks')
    .argument('<dagId>')
    .argument('<runId>', RUN_ID)
    .addHelpText('after', examples(`windhover runs show ${EXAMPLE_RUN}`))
    .action((dagId: string, runId: string) => showRun(session, dagId, runId));

  runs
    .command('clear')
    .description('clear tasks of a run, so that they run again')
    .argument('<dagId>')
    .argument('<runId>', RUN_ID)
    .option('--task <taskId...>', 'only these tasks (default: all)')
    .option('--upstream', 'also the tasks before them')
    .option('--downstream', 'also the tasks after them')
    .option('--only-failed', 'of all these, only those that have failed')
    .option('--dry-run', 'say what would be cleared, and change nothing')
    .addHelpText(
      'after',
      examples(
        `windhover runs clear ${EXAMPLE_RUN} --only-failed`,
        `windhover runs clear ${EXAMPLE_RUN} --task load report --downstream --dry-run`,
      ),
    )
    .action((dagId: string, runId: string, options: ClearOptions) => clearRun(session, dagId, runId, options));

  runs
    .command('mark')
    .description('set the state of a run; what still runs of it is ended')
    .argument('<dagId>')
    .argument('<runId>', RUN_ID)
    .addArgument(new Argument('<state>', 'the new state').choices(['success', 'failed']))
    .addHelpText('after', examples(`windhover runs mark ${EXAMPLE_RUN} failed`))
    .action((dagId: string, runId: string, state: string) => markRun(session, dagId, runId, state));
}

async function showRun({ api, output }: Session, dagId: string, runId: string): Promise<void> {
  const run = await api.get<DagRunDetails>(path`/dags/${dagId}/runs/${runId}`);
  const tasks = await api.all<TaskInstance>(path`/dags/${dagId}/runs/${runId}/tasks`);
  if (output.isJson) return output.document({ ...run, taskInstances: tasks });
  output.facts({
    dag: run.dagId,
    run: run.runId,
    state: output.paint(stateColour(run.state), run.state),
    reason: run.reason,
    'logical date': formatDate(run.logicalDate),
    interval: `${formatDate(run.intervalStart)} – ${formatDate(run.intervalEnd)}`,
    conf: Object.keys(run.conf).length > 0 ? JSON.stringify(run.conf) : null,
    backfill: run.backfillId === null ? null : String(run.backfillId),
    queued: formatDate(run.queuedAt),
    started: formatDate(run.startedAt),
    ended: formatDate(run.endedAt),
    took: formatDuration(durationBetween(run.startedAt, run.endedAt)),
  });
  output.line();
  output.table(tasks, { columns: TASK_COLUMNS, empty: 'This run has no tasks yet.' });
  const words = `${shellWord(dagId)} ${shellWord(runId)}`;
  const failed = tasks.find(({ state }) => state === 'failed');
  const waiting = tasks.find(({ state }) => state === 'deferred' || state === 'queued' || state === 'scheduled');
  if (failed) output.next(`windhover tasks logs ${words} ${shellWord(failed.taskId)}`);
  else if (waiting && !isDagRunFinished(run.state))
    output.next(`windhover tasks explain ${words} ${shellWord(waiting.taskId)}`);
}

interface ClearOptions {
  readonly task?: readonly string[];
  readonly upstream?: true;
  readonly downstream?: true;
  readonly onlyFailed?: true;
  readonly dryRun?: true;
}

async function clearRun(session: Session, dagId: string, runId: string, options: ClearOptions): Promise<void> {
  const { task: taskIds, ...rest } = options;
  const changed = await session.api.post<ChangedTasks>(path`/dags/${dagId}/runs/${runId}/clear`, { taskIds, ...rest });
  showChangedTasks(session, changed, {
    did: options.dryRun ? 'Would clear' : 'Cleared',
    ofRun: { dagId, runId },
    isDryRun: options.dryRun === true,
  });
}

async function markRun({ api, output }: Session, dagId: string, runId: string, state: string): Promise<void> {
  const run = await api.patch<DagRun>(path`/dags/${dagId}/runs/${runId}`, { state });
  output.answer(run, () => {
    output.line(`Marked run ${runId} of ${dagId} as ${state}.`);
    output.next(`windhover runs show ${shellWord(dagId)} ${shellWord(runId)}`);
  });
}
