import { type Json, RETURN_VALUE } from '@windhover/core';
import { type Command, InvalidArgumentError } from 'commander';
import { examples } from '../help.ts';
import { date } from '../input/date.ts';
import { jsonObject } from '../input/json-object.ts';
import { processIo } from '../io.ts';
import type { GivenXCom } from './run-in-memory.ts';
import type { TestRequest } from './test-in-memory.ts';

/** Adds `dags test` and `tasks test`. */
export function addTestCommands(dags: Command, tasks: Command): void {
  withCommonOptions(dags.command('test <dagId>'))
    .summary('run a DAG in this process, without a server')
    .description(
      'Runs a DAG of this project in this process: no server, no database. Waits are waited for, retries retried. ' +
        `${SECRETS} Exit code: 0 if the run succeeded, 1 if it failed.`,
    )
    .addHelpText('after', examples('windhover dags test hello', `windhover dags test hello --conf '{"name": "Ada"}'`))
    .action((dagId: string, options: CommonOptions, command: Command) =>
      test({ dagId, ...requestOf(options) }, command),
    );
  withCommonOptions(tasks.command('test <dagId> <taskId>'))
    .summary('run one task in this process, without a server')
    .description(
      'Runs one task of a DAG of this project in this process, whatever stands above it, and prints its result. ' +
        `${SECRETS} Exit code: 0 if the task succeeded, 1 if it failed.`,
    )
    .option('--xcom <task[/key]=json>', 'what a task above has left; may be repeated', collectXCom, [])
    .addHelpText(
      'after',
      examples('windhover tasks test hello greet', `windhover tasks test sales load --xcom extract='[1, 2]'`),
    )
    .action((dagId: string, taskId: string, options: CommonOptions & { xcom: GivenXCom[] }, command: Command) =>
      test({ dagId, taskId, xcoms: options.xcom, ...requestOf(options) }, command),
    );
}

const SECRETS =
  'Connections are taken from WINDHOVER_CONN_<ID> in the environment, variables from WINDHOVER_VAR_<KEY>.';

interface CommonOptions {
  readonly logicalDate?: string;
  readonly conf?: Readonly<Record<string, Json>>;
  readonly file?: string;
  readonly skipRetryDelay?: boolean;
}

function withCommonOptions(command: Command): Command {
  return command
    .option('--logical-date <date>', 'the date of the run (default: now)', date)
    .option('--conf <json>', "the run's conf, from which params take their values", jsonObject)
    .option('--file <path>', 'the DAG file (default: all files of the DAG folder are looked through)')
    .option('--skip-retry-delay', 'retry at once');
}

function requestOf({ logicalDate, conf, file, skipRetryDelay }: CommonOptions): Omit<TestRequest, 'dagId' | 'isJson'> {
  return {
    logicalDate: logicalDate === undefined ? undefined : new Date(logicalDate),
    conf,
    file,
    skipsRetryDelay: skipRetryDelay,
  };
}

async function test(request: Omit<TestRequest, 'isJson'>, command: Command): Promise<void> {
  // Here and not above: other commands need neither the platform nor a compiler.
  const [{ prepareForUserCode }, { testInMemory }, { enterKey }] = await Promise.all([
    import('./user-code.ts'),
    import('./test-in-memory.ts'),
    import('./enter-key.ts'),
  ]);
  await prepareForUserCode();
  const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
  const hasEnter = process.stdin.isTTY && !json;
  const enter = (signal: AbortSignal) => enterKey(process.stdin, signal);
  process.exitCode = await testInMemory({ ...request, isJson: json, ...(hasEnter && { enter }) }, processIo());
  // Only fires if the code of a task has left something open, which would keep the process alive.
  setTimeout(() => process.exit(), 1_000).unref();
}

function collectXCom(text: string, before: readonly GivenXCom[]): readonly GivenXCom[] {
  const [, taskId, key = RETURN_VALUE, json] = /^([^/=]+)(?:\/([^=]+))?=(.*)$/s.exec(text) ?? [];
  if (taskId === undefined) throw new InvalidArgumentError(XCOM_EXAMPLE);
  try {
    return [...before, { taskId, key, value: JSON.parse(json!) as Json }];
  } catch (error) {
    throw new InvalidArgumentError(`What comes after "=" is no JSON: ${(error as Error).message}. ${XCOM_EXAMPLE}`);
  }
}

const XCOM_EXAMPLE = `Write a task, perhaps a key, and JSON, such as extract='{"rows": 3}' or extract/rows=3.`;
