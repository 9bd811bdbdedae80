import { Argument, type Command } from 'commander';
import { examples } from '../help.ts';
import type { Session } from '../session.ts';
import { bashCompletion } from './bash.ts';
import { commandTree } from './command-tree.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

export function addCompletionCommand(program: Command, session: Session): void {
  program
    .command('completion')
    .description('print the script that completes windhover in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      examples(
        'source <(windhover completion bash)',
        'source <(windhover completion zsh)',
        'windhover completion fish | source',
      ),
    )
    .action((shell: keyof typeof SHELLS) => session.output.raw(SHELLS[shell](commandTree(program))));
}
