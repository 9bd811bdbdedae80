export type LabelSelector = (labels: Readonly<Record<string, string>>) => boolean;

/** Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k`. */
export function parseLabelSelector(text: string | null): LabelSelector {
  const tests = (text ?? '')
    .split(/,(?![^(]*\))/)
    .filter(Boolean)
    .map(parseRequirement);
  return (labels) => tests.every((test) => test(labels));
}

function parseRequirement(text: string): LabelSelector {
  const set = /^\s*(\S+)\s+(in|notin)\s+\(([^)]*)\)\s*$/.exec(text);
  if (set) {
    const [, key, operator, list] = set as unknown as [string, string, string, string];
    const values = list.split(',').map((value) => value.trim());
    return (labels) => values.includes(labels[key] ?? '\0') === (operator === 'in');
  }
  const [, not, key, operator, value] = /^\s*(!?)([^=!\s]+)\s*(==|=|!=)?\s*(.*?)\s*$/.exec(text)!;
  if (not) return (labels) => !(key! in labels);
  if (!operator) return (labels) => key! in labels;
  return (labels) => (labels[key!] === value) === (operator !== '!=');
}
