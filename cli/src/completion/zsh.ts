import type { CommandNode, OptionWord, Word } from './command-tree.ts';

export function zshCompletion(nodes: readonly CommandNode[]): string {
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  const words = nodes.map(
    ({ path, children, options, values }) => `    '${path}')
      words_=(${[...children, ...options, ...values.map(valueWord)].map(described).join(' ')}) ;;`,
  );
  const choices = nodes.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => choiceCase(path, option)),
  );
  return `#compdef windhover
# Completion of windhover for zsh. Load it with: source <(windhover completion zsh)
_windhover() {
  local word path_='' index
  local -a words_
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    case "\${path_:+$path_ }$word" in
      ${paths.join(' | ')}) path_="\${path_:+$path_ }$word" ;;
    esac
  done
  case "$path_:\${words[CURRENT-1]}" in
${choices.join('\n')}
  esac
  case "$path_" in
${words.join('\n')}
  esac
  _describe 'windhover' words_ || _files
}
compdef _windhover windhover
`;
}

/** Inside of single quotes; a colon parts a word from its description. */
function described({ name, description }: Word): string {
  const quoted = (text: string) => text.replaceAll('\\', '\\\\').replaceAll(':', '\\:').replaceAll("'", `'\\''`);
  return `'${quoted(name)}:${quoted(description)}'`;
}

function valueWord(name: string): Word {
  return { name, description: '' };
}

function choiceCase(path: string, { name, choices }: OptionWord): string {
  const complete = choices.length > 0 ? `compadd -- ${choices.join(' ')}` : '_files';
  return `    '${path}:${name}') ${complete}; return ;;`;
}
