import type { CommandNode, OptionWord } from './command-tree.ts';

export function fishCompletion(nodes: readonly CommandNode[]): string {
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  const lines = nodes.flatMap(({ path, children, options, values }) => {
    const complete = `complete -c windhover -n ${quote(`test (__windhover_path) = ${quote(path, '"')}`)}`;
    return [
      ...children.map(({ name, description }) => `${complete} -f -a ${name} -d ${quote(description)}`),
      ...values.map((value) => `${complete} -f -a ${value}`),
      ...options.map(
        (option) => `${complete} -l ${option.name.slice(2)}${argumentOf(option)} -d ${quote(option.description)}`,
      ),
    ];
  });
  return `# Completion of windhover for fish. Load it with: windhover completion fish | source
function __windhover_path
  set -l path
  for word in (commandline -opc)[2..]
    set -l longer (string trim "$path $word")
    if contains -- $longer ${paths.join(' ')}
      set path $longer
    end
  end
  echo "$path"
end
${lines.join('\n')}
`;
}

function argumentOf({ takesValue, choices }: OptionWord): string {
  if (!takesValue) return '';
  return choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : ' -r';
}

function quote(text: string, mark = "'"): string {
  return `${mark}${text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`)}${mark}`;
}
