/** How the keys that are waited for are described. */
export type KeyMatch = 'exact' | 'wildcard' | 'regex' | 'prefix';

/** What to list, and which of the keys listed are meant. */
export interface KeyPattern {
  /** All matching keys begin with it. */
  readonly prefix: string;
  matches(key: string): boolean;
}

/**
 * `wildcard` is that of a shell: `*` any text (slashes too), `?` one character, `[a-c]` and `[!a-c]` one of some.
 * `regex` must match from the beginning of the key.
 */
export function keyPattern(match: KeyMatch, text: string): KeyPattern {
  switch (match) {
    case 'exact':
      return { prefix: text, matches: (key) => key === text };
    case 'prefix':
      return { prefix: text, matches: (key) => key.startsWith(text) };
    case 'wildcard': {
      const regex = new RegExp(`^${wildcardSource(text)}$`, 'su');
      return { prefix: /^[^*?[]*/.exec(text)![0], matches: (key) => regex.test(key) };
    }
    case 'regex': {
      const regex = new RegExp(`^(?:${text})`, 'u');
      return { prefix: literalStart(text), matches: (key) => regex.test(key) };
    }
  }
}

function wildcardSource(text: string): string {
  const parts = text.match(/\*|\?|\[!?\]?[^\]]*\]|[\s\S]/gu) ?? [];
  return parts
    .map((part) => {
      if (part === '*') return '.*';
      if (part === '?') return '.';
      if (part.length < 3 || !part.startsWith('[')) return part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      const isNegated = part.startsWith('[!');
      const inside = part.slice(isNegated ? 2 : 1, -1).replace(/[\\\][^&]/g, '\\$&');
      return `[${isNegated ? '^' : ''}${inside}]`;
    })
    .join('');
}

/** The text with which everything begins that a regular expression matches; it narrows the listing. */
function literalStart(source: string): string {
  if (source.includes('|')) return '';
  const [start = ''] = /^[^\\^$.*+?()[\]{}]*/.exec(source.replace(/^\^/, '')) ?? [];
  const next = source.replace(/^\^/, '').charAt(start.length);
  // The character before a quantifier may be missing.
  return next === '*' || next === '?' || next === '{' ? start.slice(0, -1) : start;
}
