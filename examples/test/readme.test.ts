import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// The code in the README is code that CI runs: each block is, letter by letter, a file of the examples.
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const blocks = ['README.md', 'docs/dags.md'].flatMap((page) => [
  ...read(page).matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g),
]);

test('every TypeScript block of the README and of docs/dags.md names its file', () => {
  expect(blocks.length).toBe(`${read('README.md')}${read('docs/dags.md')}`.split('```ts').length - 1);
  expect(blocks.length).toBe(3);
});

test.each(blocks.map(([, file, code]) => [file!, code!]))('the pages show %s as it is', (file, code) => {
  expect(code).toBe(read(file));
});

test('the operator of the README has at most 30 lines of code, its test 15', () => {
  const codeLines = (file: string) =>
    read(file)
      .split('\n')
      .filter((line) => line.trim() !== '').length;
  expect(codeLines('examples/src/report-operator.ts')).toBeLessThanOrEqual(30);
  expect(codeLines('examples/test/report-operator.test.ts')).toBeLessThanOrEqual(15);
});
