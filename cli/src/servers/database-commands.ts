import type * as Platform from '@windhover/platform';
import { type Command, InvalidArgumentError } from 'commander';
import { findProject } from '../api-client/locate-server.ts';
import { loadConfig } from '../config/load-config.ts';
import { EXIT } from '../exit-codes.ts';
import { examples } from '../help.ts';
import type { Session } from '../session.ts';

/** `windhover db`: the database itself, without a server. */
export function addDatabaseCommands(program: Command, session: Session): void {
  const db = program.command('db').description('the database of the platform');
  const open = async <T>(work: (database: Platform.Database, platform: typeof Platform) => Promise<T>): Promise<T> => {
    const { io } = session;
    const [platform, { databaseUrlOrThrow }] = await Promise.all([
      import('@windhover/platform'),
      import('./server-setup.ts'),
    ]);
    const url = databaseUrlOrThrow(await loadConfig({ projectRoot: findProject(io.cwd) ?? io.cwd, env: io.env }));
    await platform.checkDatabase(url, { mayLackSchema: true });
    const database = new platform.Database({ url, poolSize: 1 });
    try {
      return await work(database, platform);
    } finally {
      await database.close();
    }
  };

  db.command('migrate')
    .description('bring the schema up to date; safe to run in several places at once')
    .addHelpText('after', examples('windhover db migrate'))
    .action(async () => {
      const applied = await open((database, { migrate }) => migrate(database));
      session.output.answer({ applied }, () =>
        session.output.raw(applied.length > 0 ? `Applied: ${applied.join(', ')}.` : 'The schema is up to date.'),
      );
    });

  db.command('check')
    .description('tell whether the database can be used; exit code 1 where it lacks migrations')
    .addHelpText('after', examples('windhover db check'))
    .action(async () => {
      const pending = await open((database, { pendingMigrations }) => pendingMigrations(database));
      const isCurrent = pending?.length === 0;
      session.output.answer({ isCurrent, pending }, () =>
        session.output.raw(
          isCurrent
            ? 'The schema is up to date.'
            : `The schema ${pending === null ? 'does not exist yet' : `lacks ${pending.join(', ')}`}. Run: windhover db migrate`,
        ),
      );
      if (!isCurrent) session.exitCode = EXIT.failed;
    });

  db.command('clean')
    .description('remove finished runs, with their tasks, results and history, that ended before so many days')
    .requiredOption('--before-days <n>', 'how many days to keep', days)
    .option('--dry-run', 'only count')
    .addHelpText('after', examples('windhover db clean --before-days 90 --dry-run'))
    .action(async ({ beforeDays, dryRun }) => {
      const counts = await open((database, { cleanDatabase }) =>
        cleanDatabase(database, { beforeDays, isDryRun: dryRun === true }),
      );
      session.output.answer(counts, ({ dagRuns, signals }) =>
        session.output.raw(`${dryRun ? 'Would remove' : 'Removed'} ${dagRuns} runs and ${signals} rows of the log.`),
      );
    });
}

function days(text: string): number {
  const value = Number(text);
  if (!(value >= 0)) throw new InvalidArgumentError('It must be a number of days, 0 or more.');
  return value;
}
