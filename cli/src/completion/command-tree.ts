import type { Argument, Command, Option } from 'commander';

/** A command as completion scripts see it. */
export interface CommandNode {
  /** The words after `windhover`: '' or 'dags trigger'. */
  readonly path: string;
  readonly children: readonly Word[];
  readonly options: readonly OptionWord[];
  /** Values of its arguments that are known beforehand. */
  readonly values: readonly string[];
}

export interface Word {
  readonly name: string;
  readonly description: string;
}

export interface OptionWord extends Word {
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** The program and all its commands, flattened, so that a new command is completed without being listed anywhere. */
export function commandTree(program: Command): CommandNode[] {
  const walk = (command: Command, path: string, inherited: readonly Option[]): CommandNode[] => {
    const options = [...command.options, ...inherited];
    const children = command.createHelp().visibleCommands(command);
    const own = children.filter((child) => command.commands.includes(child));
    return [
      {
        path,
        children: own.map((child) => ({ name: child.name(), description: firstLine(child.description()) })),
        options: [...options.flatMap(optionWords), HELP],
        values: command.registeredArguments.flatMap(({ argChoices }: Argument) => argChoices ?? []),
      },
      ...own.flatMap((child) => walk(child, `${path} ${child.name()}`.trimStart(), options)),
    ];
  };
  return walk(program, '', []);
}

const HELP: OptionWord = { name: '--help', description: 'display help', takesValue: false, choices: [] };

function optionWords(option: Option): OptionWord[] {
  if (option.long === undefined || option.hidden) return [];
  return [
    {
      name: option.long,
      description: firstLine(option.description),
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    },
  ];
}

function firstLine(text: string): string {
  return text.split('\n')[0]!;
}
