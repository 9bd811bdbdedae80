import { Command } from 'commander';
import { addBackfillCommands } from './backfills/commands.ts';
import { addCompletionCommand } from './completion/commands.ts';
import { addConnectionCommands } from './connections/commands.ts';
import { addDagRunCommands } from './dag-runs/commands.ts';
import { addDagCommands } from './dags/commands.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { examples } from './help.ts';
import { addTestCommands } from './in-memory/commands.ts';
import type { Io } from './io.ts';
import { addPoolCommands } from './pools/commands.ts';
import { reportError } from './report-error.ts';
import { addServerCommands } from './servers/commands.ts';
import { Session } from './session.ts';
import { addConfigCommands } from './settings/commands.ts';
import { addStatusCommands } from './status/commands.ts';
import { addTaskCommands } from './tasks/commands.ts';
import { addVariableCommands } from './variables/commands.ts';
import { cliVersion } from './version.ts';

/** Runs one command line, without `node` and the name of the script, and answers the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const session = new Session(io);
  const program = buildProgram(session);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    return reportError(error, session);
  }
}

export function buildProgram(session: Session): Command {
  const { stdout, stderr } = session.io;
  const program = new Command('windhover')
    .description('Windhover: a workflow platform where waiting is free.')
    .version(cliVersion())
    .option('--json', 'print JSON: one document, or a line for each record where something is followed')
    .option(
      '--url <url>',
      'the address of the server (default: WINDHOVER_API_URL, then the standalone of this project)',
    )
    .option('--token <token>', 'the token for the server (default: WINDHOVER_API_TOKEN, then that of the standalone)')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
      getOutHasColors: () => stdout.isTTY === true && !session.io.env.NO_COLOR,
      getErrHasColors: () => stderr.isTTY === true && !session.io.env.NO_COLOR,
    })
    .addHelpText(
      'after',
      examples('windhover standalone', 'windhover dags trigger hello --wait', 'windhover dags --help'),
    )
    .addHelpText('after', exitCodesHelp())
    .hook('preAction', () => session.configure(program.opts()));

  program.commandsGroup('Work:');
  const dags = addDagCommands(program, session);
  addDagRunCommands(program, session);
  const tasks = addTaskCommands(program, session);
  addTestCommands(dags, tasks);
  addBackfillCommands(program, session);
  program.commandsGroup('Administration:');
  addPoolCommands(program, session);
  addConnectionCommands(program, session);
  addVariableCommands(program, session);
  addConfigCommands(program, session);
  addStatusCommands(program, session);
  addCompletionCommand(program, session);
  program.helpCommand('help [command]', 'display help for a command');
  program.commandsGroup('Servers:');
  addServerCommands(program, session);
  sayWhereHelpIs(program, program.name());
  return program;
}

/** A usage error of a command ends with how to get the help of that very command. */
function sayWhereHelpIs(command: Command, path: string): void {
  command.showHelpAfterError(`See: ${path} --help`);
  for (const child of command.commands) sayWhereHelpIs(child, `${path} ${child.name()}`);
}
