import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// The code in the README is code that CI runs: each block is, letter by letter, a file of the examples.
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const blocks = [...read('README.md').matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)];

test('every TypeScript block of the README names its file', () => {
  expect(blocks.length).toBe(read('README.md').split('```ts').length - 1);
  expect(blocks.length).toBeGreaterThan(0);
});

test.each(blocks.map(([, file, code]) => [file!, code!]))('the README shows %s as it is', (file, code) => {
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
