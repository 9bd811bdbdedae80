import { DAG_RUN_STATES } from '@windhover/core';
import { type Command, Option } from 'commander';
import type { Dag, DagDetails, ImportErrorReport } from '../api-client/dags.ts';
import { path } from '../api-client/path.ts';
import { listRuns } from '../dag-runs/list-runs.ts';
import { EXIT } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { date } from '../input/date.ts';
import { jsonObject } from '../input/json-object.ts';
import { limitOption } from '../input/limit-option.ts';
import { formatDate, shellWord } from '../output/format.ts';
import type { Session } from '../session.ts';
import { DAG_COLUMNS, DAG_TASK_COLUMNS } from './dag-columns.ts';
import { type TriggerOptions, triggerDag } from './trigger-dag.ts';

/** Answers the command `dags`, to which others add theirs. */
export function addDagCommands(program: Command, session: Session): Command {
  const dags = program.command('dags').description('DAGs: list, show, trigger, pause, test');

  dags
    .command('list')
    .description('list the DAGs')
    .addOption(new Option('--paused', 'only paused ones').conflicts('unpaused'))
    .option('--unpaused', 'only those that are not paused')
    .option('--tag <tag>', 'only those with this tag')
    .option('--search <text>', 'only those with this in their id or description')
    .option('--all', 'also those whose file is gone')
    .addHelpText('after', examples('windhover dags list', 'windhover dags list --tag sales --unpaused'))
    .action((options: ListOptions) => listDags(session, options));

  dags
    .command('show')
    .description('show a DAG and its tasks')
    .argument('<dagId>')
    .addHelpText('after', examples('windhover dags show hello', 'windhover dags show hello --json'))
    .action((dagId: string) => showDag(session, dagId));

  dags
    .command('trigger')
    .description('start a run of a DAG')
    .argument('<dagId>')
    .option('--conf <json>', 'an object the tasks find in their context', jsonObject)
    .option('--logical-date <date>', 'the logical date of the run (default: now)', date)
    .option('--wait', 'follow the run to its end; exit code 1 if it fails')
    .addHelpText(
      'after',
      examples(
        'windhover dags trigger hello --wait',
        `windhover dags trigger hello --logical-date 2026-01-31 --conf '{"region": "eu"}'`,
      ),
    )
    .action((dagId: string, options: TriggerOptions) => triggerDag(session, dagId, options));

  for (const isPaused of [true, false]) {
    const verb = isPaused ? 'pause' : 'unpause';
    dags
      .command(verb)
      .description(isPaused ? 'start no further runs by schedule' : 'start runs by schedule again')
      .argument('<dagId>')
      .addHelpText('after', examples(`windhover dags ${verb} hello`))
      .action((dagId: string) => setPaused(session, dagId, isPaused));
  }

  dags
    .command('runs')
    .description('list the runs of a DAG, the newest first')
    .argument('<dagId>')
    .addOption(new Option('--state <state>', 'only runs in this state').choices(DAG_RUN_STATES))
    .addOption(limitOption())
    .addHelpText('after', examples('windhover dags runs hello', 'windhover dags runs hello --state failed --limit 5'))
    .action((dagId: string, { state, limit }) => listRuns(session, { dagId, state }, limit));

  dags
    .command('import-errors')
    .description('list the DAG files that cannot be read; exit code 1 if there are any')
    .addHelpText('after', examples('windhover dags import-errors'))
    .action(() => listImportErrors(session));

  return dags;
}

interface ListOptions {
  readonly paused?: true;
  readonly unpaused?: true;
  readonly tag?: string;
  readonly search?: string;
  readonly all?: true;
}

async function listDags({ api, output }: Session, { paused, unpaused, ...rest }: ListOptions): Promise<void> {
  const dags = await api.all<Dag>('/dags', { ...rest, paused: paused ?? (unpaused ? false : undefined) });
  output.table(dags, {
    columns: DAG_COLUMNS,
    empty: 'No DAGs. Is one missing? See: windhover dags import-errors',
  });
}

async function showDag({ api, output }: Session, dagId: string): Promise<void> {
  const dag = await api.get<DagDetails>(path`/dags/${dagId}`);
  if (output.isJson) return output.document(dag);
  output.facts({
    dag: dag.dagId,
    description: dag.description,
    file: dag.file,
    schedule: dag.scheduleText,
    paused: dag.isPaused ? output.paint('yellow', 'yes') : 'no',
    'next run': dag.isPaused ? null : formatDate(dag.nextRunAt),
    'last run': dag.lastRun && `${dag.lastRun.runId} (${dag.lastRun.state})`,
    tags: dag.tags.join(', '),
    owner: dag.owner,
    'start date': formatDate(dag.startDate),
    'end date': formatDate(dag.endDate),
    catchup: dag.catchup ? 'yes' : 'no',
    'max active runs': String(dag.maxActiveRuns),
    'max active tasks': String(dag.maxActiveTasks),
    params: Object.keys(dag.params).length > 0 ? JSON.stringify(dag.params) : null,
  });
  output.line();
  output.table(dag.tasks, { columns: DAG_TASK_COLUMNS, empty: 'This DAG has no tasks.' });
  output.next(
    dag.isPaused ? `windhover dags unpause ${shellWord(dagId)}` : `windhover dags trigger ${shellWord(dagId)} --wait`,
  );
}

async function setPaused({ api, output }: Session, dagId: string, isPaused: boolean): Promise<void> {
  const dag = await api.patch<Dag>(path`/dags/${dagId}`, { isPaused });
  output.answer(dag, ({ nextRunAt }) => {
    if (isPaused) output.line(`Paused ${dagId}: no further runs are started by schedule.`);
    else output.line(`Unpaused ${dagId}.${nextRunAt ? ` Its next run is due at ${formatDate(nextRunAt)}.` : ''}`);
    output.next(isPaused ? `windhover dags unpause ${shellWord(dagId)}` : `windhover dags runs ${shellWord(dagId)}`);
  });
}

async function listImportErrors(session: Session): Promise<void> {
  const { api, output } = session;
  const errors = await api.all<ImportErrorReport>('/import-errors');
  if (errors.length > 0) session.exitCode = EXIT.failed;
  output.table(errors, {
    columns: [
      { title: 'FILE', value: ({ file, line }) => (line === null ? file : `${file}:${line}`) },
      { title: 'SINCE', value: ({ createdAt }) => formatDate(createdAt), isFlexible: true },
      { title: 'MESSAGE', value: ({ message }) => message, isFlexible: true },
    ],
    empty: 'No import errors.',
  });
}
