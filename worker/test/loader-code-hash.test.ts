import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeHash } from '../src/loader/code-hash.ts';
import { makeProject } from './fixtures/projects/temporary-project.ts';

const FILES = { 'dags/a.ts': 'export const a = 1;', 'lib/b.mjs': '', 'config.json': '{}', 'pnpm-lock.yaml': 'v: 1' };

test('equal projects have an equal code hash', async () => {
  const [one, other] = [makeProject(FILES), makeProject(FILES)];
  expect(await codeHash(one.root)).toBe(await codeHash(other.root));
  expect(await codeHash(one.root)).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['a source', { 'dags/a.ts': 'export const a = 2;' }],
  ['JSON', { 'config.json': '[]' }],
  ['the lockfile', { 'pnpm-lock.yaml': 'v: 2' }],
  ['a new file in a new folder', { 'lib/deep/c.cjs': '' }],
  ['a folder that is called dist but is not the root’s', { 'lib/dist/c.js': '' }],
])('the code hash changes with %s', async (_, change) => {
  const project = makeProject(FILES);
  const before = await codeHash(project.root);
  project.write(change);
  expect(await codeHash(project.root)).not.toBe(before);
});

test.each(['node_modules/x/index.js', 'dist/a.js', '.windhover/state.json', '.git/x.json', 'logs/a.json', 'notes.md'])(
  'the code hash does not change with %s',
  async (path) => {
    const project = makeProject(FILES);
    const before = await codeHash(project.root);
    project.write({ [path]: 'anything' });
    expect(await codeHash(project.root)).toBe(before);
  },
);

test('a file moved to another name changes the code hash, and moved back restores it', async () => {
  const project = makeProject(FILES);
  const before = await codeHash(project.root);
  project.remove('dags/a.ts');
  project.write({ 'dags/z.ts': FILES['dags/a.ts'] });
  expect(await codeHash(project.root)).not.toBe(before);
  project.remove('dags/z.ts');
  project.write(FILES);
  expect(await codeHash(project.root)).toBe(before);
});

test('a change that keeps size and time of the file is seen', async () => {
  const project = makeProject(FILES);
  const file = join(project.root, 'dags/a.ts');
  const longAgo = new Date('2026-01-01');
  utimesSync(file, longAgo, longAgo);
  const before = await codeHash(project.root);
  project.write({ 'dags/a.ts': 'export const a = 9;' });
  utimesSync(file, longAgo, longAgo);
  expect(await codeHash(project.root)).not.toBe(before);
});

test('the lockfile of the workspace around a project counts', async () => {
  const workspace = makeProject({ 'pnpm-lock.yaml': 'v: 1', 'apps/flows/dags/a.ts': '' });
  const before = await codeHash(join(workspace.root, 'apps/flows'));
  workspace.write({ 'pnpm-lock.yaml': 'v: 2' });
  expect(await codeHash(join(workspace.root, 'apps/flows'))).not.toBe(before);
});
