import type { CommandNode } from './command-tree.ts';

export function bashCompletion(nodes: readonly CommandNode[]): string {
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const words = nodes.map(
    ({ path, children, options, values }) =>
      `    '${path}') words='${[...children, ...options]
        .map(({ name }) => name)
        .concat(values)
        .join(' ')}' ;;`,
  );
  const choices = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map((option) => `    '${path}:${option.name}') words='${option.choices.join(' ')}' ;;`),
  );
  return `# Completion of windhover for bash. Load it with: source <(windhover completion bash)
_windhover() {
  local word path='' words='' index
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "\${path:+$path }$word" in
      ${paths.join(' | ')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${words.join('\n')}
  esac
  case "$path:$previous" in
${choices.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _windhover windhover
`;
}
