/** The text below the help of a command: `command.addHelpText('after', examples('windhover dags list'))`. */
export function examples(...lines: readonly string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}
