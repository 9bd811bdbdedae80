import type { TokenScope } from '@windhover/platform';
import { type Command, Option } from 'commander';
import { findProject } from '../api-client/locate-server.ts';
import { loadConfig } from '../config/load-config.ts';
import { examples } from '../help.ts';
import type { Session } from '../session.ts';
import { ServerSetupError } from './server-setup-error.ts';

/** `windhover tokens create`: where the secret keys are, and without a server. */
export function addTokenCommands(program: Command, session: Session): void {
  const tokens = program.command('tokens').description('tokens for people and for processes');

  tokens
    .command('create')
    .description('make a token; needs WINDHOVER_SECRET_KEYS')
    .addOption(
      new Option('--scope <scope>', 'for the REST API, a triggerer or a dag-processor')
        .choices(['api', 'trigger', 'dag'])
        .default('api'),
    )
    .option('--name <name>', 'who it is for; shown in the audit log', 'cli')
    .option('--queues <names...>', 'of a triggerer', ['default'])
    .option('--expires-in-days <n>', 'default: never', Number)
    .addHelpText('after', examples('windhover tokens create --name alice', 'windhover tokens create --scope trigger'))
    .action(async ({ scope, name, queues, expiresInDays }) => {
      const { parseSecretKeys, Tokens } = await import('@windhover/platform');
      const { io, output } = session;
      const { secretKeys } = await loadConfig({ projectRoot: findProject(io.cwd) ?? io.cwd, env: io.env });
      if (secretKeys === null)
        throw new ServerSetupError(
          'WINDHOVER_SECRET_KEYS is not set: tokens are signed with the keys of the platform.',
        );
      const made: TokenScope =
        scope === 'api' ? { type: 'api', name } : scope === 'dag' ? { type: 'dag' } : { type: 'trigger', queues };
      const options = expiresInDays ? { expiresInMs: expiresInDays * 86_400_000 } : {};
      const token = await new Tokens(parseSecretKeys(secretKeys)).issue(made, options);
      output.answer({ token, scope: made }, () => output.raw(token));
    });
}
