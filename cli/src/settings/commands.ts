import type { Command } from 'commander';
import { findProject } from '../api-client/locate-server.ts';
import { type ConfigEntry, configEntries } from '../config/config-entries.ts';
import { loadConfig } from '../config/load-config.ts';
import { examples } from '../help.ts';
import type { Session } from '../session.ts';
import { SettingNotFoundError } from './setting-not-found-error.ts';

/** `windhover config`: of this project, read here and not from the server. */
export function addConfigCommands(program: Command, session: Session): void {
  const config = program.command('config').description('the configuration of this project, as read here');

  config
    .command('list')
    .description('list each setting, its value, and where that came from')
    .addHelpText('after', examples('windhover config list', 'WINDHOVER_API__PORT=9000 windhover config list'))
    .action(async () =>
      session.output.table(await readEntries(session), {
        columns: [
          { title: 'KEY', value: ({ key }) => key },
          { title: 'VALUE', value: ({ value }) => value, isFlexible: true },
          { title: 'FROM', value: ({ source, origin }) => origin ?? source },
          { title: 'VARIABLE', value: ({ variable }) => variable, isFlexible: true },
        ],
        empty: 'No settings.',
      }),
    );

  config
    .command('get')
    .description('print the value of a setting, as JSON')
    .argument('<key>')
    .addHelpText('after', examples('windhover config get api.port'))
    .action((key: string) => getSetting(session, key));
}

async function getSetting(session: Session, key: string): Promise<void> {
  const entries = await readEntries(session);
  const entry = entries.find((candidate) => candidate.key === key);
  if (!entry)
    throw new SettingNotFoundError(
      key,
      entries.map((candidate) => candidate.key),
    );
  session.output.answer(entry, ({ value }) => session.output.raw(value));
}

async function readEntries({ io }: Session): Promise<ConfigEntry[]> {
  return configEntries(await loadConfig({ projectRoot: findProject(io.cwd) ?? io.cwd, env: io.env }));
}
