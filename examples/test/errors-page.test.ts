import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// Every error class of the repository with its code, found in the sources, against the page that explains them.
const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const sources = globSync(['*/src/**/*.ts', '{providers,executors,signals}/*/src/**/*.ts'], { cwd: root });

const inSources = sources.flatMap((file) => {
  const code = /readonly code(?:: string)? = '(E_[A-Z_]+)'/.exec(read(file))?.[1];
  const name = /export class (\w+)/.exec(read(file))?.[1];
  return code ? [`${code} ${name}`] : [];
});
const onPage = [...read('docs/errors.md').matchAll(/^\| `(E_[A-Z_]+)` \| `(\w+)`/gm)].map(
  ([, code, name]) => `${code} ${name}`,
);

test('docs/errors.md has a line for each code, and for no other', () => {
  expect(onPage.toSorted()).toEqual(inSources.toSorted());
});
