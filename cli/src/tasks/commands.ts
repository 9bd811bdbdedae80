import { TASK_INSTANCE_STATES } from '@windhover/core';
import { Argument, type Command, Option } from 'commander';
import type { ChangedTasks } from '../api-client/dags.ts';
import { path } from '../api-client/path.ts';
import type { TaskInstance } from '../api-client/tasks.ts';
import { examples } from '../help.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { shellWord } from '../output/format.ts';
import type { Session } from '../session.ts';
import { showChangedTasks } from './changed-tasks.ts';
import { explainTask, showTask } from './show-task.ts';
import { TASK_COLUMNS } from './task-columns.ts';
import { type LogsOptions, showTaskLogs } from './task-logs.ts';
import { type TaskName, taskPath } from './task-name.ts';

const EXAMPLE_RUN = 'hello scheduled__2026-01-01T00:00:00.000Z';

/** Answers the command `tasks`, to which others add theirs. */
export function addTaskCommands(program: Command, session: Session): Command {
  const tasks = program.command('tasks').description('tasks of a run: list, logs, explain, clear, stop, test');

  tasks
    .command('list')
    .description('list the tasks of a run')
    .argument('<dagId>')
    .argument('<runId>')
    .addOption(new Option('--state <state>', 'only tasks in this state').choices(TASK_INSTANCE_STATES))
    .addHelpText(
      'after',
      examples(`windhover tasks list ${EXAMPLE_RUN}`, `windhover tasks list ${EXAMPLE_RUN} --state deferred`),
    )
    .action((dagId: string, runId: string, { state }) => listTasks(session, dagId, runId, state));

  taskCommand(tasks, 'show', 'show a task of a run and its attempts').action(
    (dagId: string, runId: string, taskId: string) => showTask(session, { dagId, runId, taskId }),
  );

  taskCommand(tasks, 'logs', 'print the log of a task', [], ['', '--follow', '--attempt 1'])
    .option('--attempt <n>', 'of this attempt (default: the latest)', wholeNumber(1))
    .option('--follow', 'go on until the attempt has ended')
    .action((dagId: string, runId: string, taskId: string, options: LogsOptions) =>
      showTaskLogs(session, { dagId, runId, taskId }, options),
    );

  taskCommand(tasks, 'explain', 'say what a task waits for, since when, and what comes next').action(
    (dagId: string, runId: string, taskId: string) => explainTask(session, { dagId, runId, taskId }),
  );

  taskCommand(
    tasks,
    'run',
    'start one task of a run now: it is cleared, so that it runs again, and the tasks after it are left as they are',
  ).action((dagId: string, runId: string, taskId: string) =>
    change(session, { dagId, runId, taskId }, 'Started again', 'clear', { downstream: false }),
  );

  taskCommand(
    tasks,
    'clear',
    'clear a task and those after it, so that they run again',
    [],
    ['', '--upstream', '--no-downstream --dry-run'],
  )
    .option('--upstream', 'also the tasks before it')
    .option('--no-downstream', 'not the tasks after it')
    .option('--dry-run', 'say what would be cleared, and change nothing')
    .action((dagId: string, runId: string, taskId: string, options: ClearOptions) =>
      change(session, { dagId, runId, taskId }, options.dryRun ? 'Would clear' : 'Cleared', 'clear', options),
    );

  taskCommand(
    tasks,
    'mark',
    'set the state of a task',
    [new Argument('<state>', 'the new state').choices(['success', 'failed', 'skipped'])],
    ['success'],
  ).action(async (dagId: string, runId: string, taskId: string, state: string) => {
    const name = { dagId, runId, taskId };
    const changed = await session.api.patch<ChangedTasks>(taskPath(name), { state });
    showChangedTasks(session, changed, { did: `Marked as ${state}`, ofRun: name, isDryRun: false });
  });

  taskCommand(tasks, 'retry', 'retry a task now, without waiting for its retry delay').action(
    (dagId: string, runId: string, taskId: string) =>
      change(session, { dagId, runId, taskId }, 'Retrying', 'retry', {}),
  );

  taskCommand(tasks, 'stop', 'stop a task that runs or waits').action((dagId: string, runId: string, taskId: string) =>
    change(session, { dagId, runId, taskId }, 'Stopping', 'stop', {}),
  );

  return tasks;
}

/** A command about one task of a run. `variants` follow the names in its examples. */
function taskCommand(
  tasks: Command,
  verb: string,
  description: string,
  more: readonly Argument[] = [],
  variants: readonly string[] = [''],
): Command {
  const command = tasks.command(verb).description(description);
  command.argument('<dagId>').argument('<runId>').argument('<taskId>');
  for (const argument of more) command.addArgument(argument);
  const lines = variants.map((variant) => `windhover tasks ${verb} ${EXAMPLE_RUN} extract ${variant}`.trimEnd());
  return command.addHelpText('after', examples(...lines));
}

interface ClearOptions {
  readonly upstream?: true;
  /** Commander's default for an option that begins with `--no-`: true. */
  readonly downstream: boolean;
  readonly dryRun?: true;
}

async function listTasks({ api, output }: Session, dagId: string, runId: string, state?: string): Promise<void> {
  const tasks = await api.all<TaskInstance>(path`/dags/${dagId}/runs/${runId}/tasks`, { state });
  output.table(tasks, {
    columns: TASK_COLUMNS,
    empty: `No such tasks. See: windhover runs show ${shellWord(dagId)} ${shellWord(runId)}`,
  });
}

async function change(
  session: Session,
  name: TaskName,
  did: string,
  action: 'clear' | 'retry' | 'stop',
  body: Partial<ClearOptions>,
): Promise<void> {
  const changed = await session.api.post<ChangedTasks>(`${taskPath(name)}/${action}`, body);
  showChangedTasks(session, changed, { did, ofRun: name, isDryRun: body.dryRun === true });
}
