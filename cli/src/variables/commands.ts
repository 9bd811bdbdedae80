import type { Command } from 'commander';
import type { Variable } from '../api-client/administration.ts';
import { path } from '../api-client/path.ts';
import { examples } from '../help.ts';
import { secretValue } from '../input/secret-value.ts';
import { formatDate, shellWord } from '../output/format.ts';
import type { Session } from '../session.ts';

export function addVariableCommands(program: Command, session: Session): void {
  const variables = program.command('variables').description('variables that tasks read');

  variables
    .command('list')
    .description('list the variables; those that look like secrets are masked')
    .addHelpText('after', examples('windhover variables list'))
    .action(() => listVariables(session));

  variables
    .command('get')
    .description('print the value of a variable')
    .argument('<key>')
    .addHelpText('after', examples('windhover variables get region'))
    .action((key: string) => getVariable(session, key));

  variables
    .command('set')
    .description('set a variable')
    .argument('<key>')
    .argument('<value>', 'its value; - reads it from standard input')
    .addHelpText(
      'after',
      examples(
        'windhover variables set region eu',
        'windhover variables set api_key - < key.txt',
        'windhover variables set -- offset -1',
      ),
    )
    .action((key: string, value: string) => setVariable(session, key, value));

  variables
    .command('delete')
    .description('delete a variable')
    .argument('<key>')
    .addHelpText('after', examples('windhover variables delete region'))
    .action((key: string) => deleteVariable(session, key));
}

async function listVariables({ api, output }: Session): Promise<void> {
  output.table(await api.all<Variable>('/variables'), {
    columns: [
      { title: 'KEY', value: ({ key }) => key },
      { title: 'VALUE', value: ({ value }) => value, isFlexible: true },
      { title: 'UPDATED', value: ({ updatedAt }) => formatDate(updatedAt), isFlexible: true },
    ],
    empty: 'No variables. Set one with: windhover variables set <key> <value>',
  });
}

async function getVariable({ api, output }: Session, key: string): Promise<void> {
  output.answer(await api.get<Variable>(path`/variables/${key}`), ({ value }) => output.raw(value));
}

async function setVariable({ api, io, output }: Session, key: string, value: string): Promise<void> {
  const variable = await api.put<Variable>(path`/variables/${key}`, { value: await secretValue(io, value) });
  output.answer(variable, () => {
    output.line(`Set variable ${key}.`);
    output.next(`windhover variables get ${shellWord(key)}`);
  });
}

async function deleteVariable({ api, output }: Session, key: string): Promise<void> {
  await api.delete(path`/variables/${key}`);
  output.answer({ deleted: key }, () => output.line(`Deleted variable ${key}.`));
}
