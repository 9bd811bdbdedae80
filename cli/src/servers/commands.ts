import { type Command, InvalidArgumentError } from 'commander';
import { examples } from '../help.ts';
import type { Session } from '../session.ts';
import { addDatabaseCommands } from './database-commands.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { serverLog } from './server-log.ts';
import type { ServerSetup } from './server-setup.ts';
import { addTokenCommands } from './token-commands.ts';

// Platform and worker are loaded by the commands that need them: the others start in a third of the time.

/** `windhover standalone`, and the same parts as processes of their own. */
export function addServerCommands(program: Command, session: Session): void {
  const setUp = async ({ verbose }: { verbose?: boolean }): Promise<ServerSetup> => {
    const { setUpServer } = await import('./server-setup.ts');
    const options = { isJson: session.output.isJson, isVerbose: verbose === true };
    return setUpServer(session.io, serverLog(session.io, options));
  };
  const server = (name: string, description: string) =>
    program.command(name).description(description).option('--verbose', 'say more');

  server('standalone', 'run everything in one process, with a PostgreSQL of its own')
    .addHelpText('after', examples('windhover standalone', 'WINDHOVER_API__PORT=9000 windhover standalone'))
    .action(async (options) => {
      const setup = await setUp(options);
      await runUntilStopped(setup.log, async (running) => {
        const { startStandalone } = await import('./standalone.ts');
        const standalone = running.add(await startStandalone(setup));
        session.output.answer({ url: standalone.url, token: standalone.token }, ({ url, token }) => {
          for (const line of welcome(url, token, session.io.env.WINDHOVER_COMMAND)) session.output.raw(line);
        });
        return {};
      });
    });

  server('scheduler', 'make the runs that schedules ask for, and execute runs')
    .option('--num-runs <n>', 'stop after so many rounds', wholeNumber)
    .option('--dag-ids <ids...>', 'only these DAGs')
    .addHelpText('after', examples('windhover scheduler', 'windhover scheduler --dag-ids sales reports'))
    .action(async ({ numRuns, dagIds, ...options }) => {
      const setup = await setUp(options);
      await runUntilStopped(setup.log, async (running) => {
        const [{ openConfiguredPlatform }, { startScheduler }] = await platformSide();
        const platform = await openConfiguredPlatform(setup, 'windhover scheduler');
        running.add({ stop: () => platform.close() });
        const scheduler = running.add(
          await startScheduler(setup, platform, { ...(numRuns && { numRuns }), ...(dagIds && { dagIds }) }),
        );
        setup.log.info('The scheduler runs.');
        return { whenOver: scheduler.whenOver() };
      });
    });

  server('api-server', 'serve the REST API, and the execution API for workers on other machines')
    .addHelpText('after', examples('windhover api-server'))
    .action(async (options) => {
      const setup = await setUp(options);
      await runUntilStopped(setup.log, async (running) => {
        const [{ openConfiguredPlatform }, { startApiServer }] = await platformSide();
        const platform = await openConfiguredPlatform(setup, 'windhover api-server');
        running.add({ stop: () => platform.close() });
        const api = running.add(await startApiServer(setup, platform));
        setup.log.info(`The API server listens at ${api.url}.`);
        return {};
      });
    });

  server('triggerer', 'run triggers for waiting tasks; reaches the platform through its API server')
    .option('--capacity <n>', 'how many triggers at most', wholeNumber)
    .option('--queues <names...>', 'whose triggers')
    .addHelpText('after', examples('windhover triggerer --capacity 10000', 'windhover triggerer --queues default gpu'))
    .action(async ({ capacity, queues, ...options }) => {
      const given = await setUp(options);
      const triggerer = { ...given.config.triggerer, ...(capacity && { capacity }), ...(queues && { queues }) };
      const setup = { ...given, config: { ...given.config, triggerer } };
      await runUntilStopped(setup.log, async (running) => {
        const [{ openWorkerSide }, { startTriggerer }] = await workerSide();
        const { triggerApi, stop } = openWorkerSide(session.io);
        running.add({ stop });
        running.add(await startTriggerer(setup, triggerApi));
        setup.log.info(`The triggerer runs, for ${triggerer.queues.join(', ')}, up to ${triggerer.capacity} triggers.`);
        return {};
      });
    });

  server('dag-processor', 'read DAG files and tell the platform; reaches it through its API server')
    .addHelpText('after', examples('windhover dag-processor'))
    .action(async (options) => {
      const setup = await setUp(options);
      await runUntilStopped(setup.log, async (running) => {
        const [{ openWorkerSide }, { startDagProcessor }] = await workerSide();
        const { dagApi, stop } = openWorkerSide(session.io);
        running.add({ stop });
        running.add(startDagProcessor(setup, dagApi));
        setup.log.info(`The dag-processor reads ${setup.config.dags.folder}.`);
        return {};
      });
    });

  addDatabaseCommands(program, session);
  addTokenCommands(program, session);
}

function platformSide() {
  return Promise.all([import('./server-setup.ts'), import('./parts.ts')]);
}

function workerSide() {
  return Promise.all([import('./open-worker-side.ts'), import('./parts.ts')]);
}

/** `command`: how the command is called here. */
function welcome(url: string, token: string, command = 'npx windhover'): readonly string[] {
  return [
    '',
    `  Windhover is running at ${url}`,
    `  Token: ${token}`,
    '',
    '  Try, in another terminal of this folder:',
    `    ${command} dags list`,
    `    ${command} dags trigger <dag> --wait`,
    `    ${command} tasks explain <dag> <run> <task>`,
    '',
    '  Commands of this project find URL and token by themselves. Ctrl-C stops it.',
    '',
  ];
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return value;
}
