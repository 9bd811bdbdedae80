import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

// One run of the compiler over types/. Each file in types/refused has one mistake, marked in the line above it with
// the words the compiler must use; so a test cannot pass because of some other error.
const folder = fileURLToPath(new URL('./types', import.meta.url));
const filesIn = (name: string) => readdirSync(join(folder, name));
let diagnostics: Map<string, { line: number; message: string }[]>;

beforeAll(() => {
  diagnostics = compile();
}, 60_000);

describe('the compiler refuses', () => {
  test.each(filesIn('refused'))('%s, with an error where the mistake is', (file) => {
    const lines = readFileSync(join(folder, 'refused', file), 'utf8').split('\n');
    const marked = lines.findIndex((line) => line.includes('// error: '));
    const words = lines[marked]!.split('// error: ')[1]!;
    const found = diagnostics.get(`refused/${file}`) ?? [];
    expect(found.map(({ line }) => line)).toEqual([marked + 2]);
    expect(found[0]!.message).toContain(words);
  });
});

describe('the compiler accepts', () => {
  test.each(filesIn('accepted'))('%s', (file) => {
    expect(diagnostics.get(`accepted/${file}`) ?? []).toEqual([]);
  });

  test('everything outside of types/refused', () => {
    expect([...diagnostics.keys()].filter((file) => !file.startsWith('refused/'))).toEqual([]);
  });
});

function compile(): typeof diagnostics {
  const output = runCompiler();
  const found: typeof diagnostics = new Map();
  for (const [, file, line, message] of output.matchAll(/^(\S+)\((\d+),\d+\): error (TS\d+: .*(?:\n .*)*)/gm)) {
    const name = file!.replace(/^.*?types\//, '');
    found.set(name, [...(found.get(name) ?? []), { line: Number(line), message: message! }]);
  }
  return found;
}

function runCompiler(): string {
  try {
    return execFileSync('tsc', ['-p', folder, '--pretty', 'false'], { encoding: 'utf8', cwd: folder });
  } catch (error) {
    // Errors are expected: the compiler exits with 1 or 2 and prints them.
    return (error as { stdout: string }).stdout;
  }
}
