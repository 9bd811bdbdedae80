import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeProject, runScript, type TemporaryProject } from './fixtures/projects/temporary-project.ts';

interface Answer {
  readonly type?: string;
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly availableExports?: string[];
  readonly hasCause?: boolean;
}

function load(project: TemporaryProject, ...classpaths: string[]): Promise<Answer[]> {
  return runScript<Answer[]>('load-classpaths.ts', { projectRoot: project.root, classpaths });
}

const provider = (extra: object = {}, manifest: object = {}) => ({
  'node_modules/@acme/provider/package.json': JSON.stringify({
    name: '@acme/provider',
    type: 'module',
    windhover: { manifest: './provider.json' },
    exports: { '.': { default: './index.js' }, './s3': { default: './s3.js' } },
    ...extra,
  }),
  'node_modules/@acme/provider/provider.json': JSON.stringify({ name: '@acme/provider', ...manifest }),
  'node_modules/@acme/provider/index.js': 'export class AcmeTrigger {}',
  'node_modules/@acme/provider/s3.js': 'export class S3KeysTrigger {}\nexport const limit = 3;',
  'node_modules/@acme/provider/internal.js': 'export class Secret {}',
});

describe('a classpath is loaded', () => {
  test('from core, from a declared package, from its subpath and from a file of the project', async () => {
    const project = makeProject({
      ...provider(),
      'lib/color.ts': "export enum Color { Red = 'red' }",
      'lib/acme-trigger.ts': "import { Color } from './color';\nexport class AcmeTrigger { color = Color.Red }",
    });
    const answers = await load(
      project,
      '@windhover/core#DateTimeTrigger',
      '@acme/provider#AcmeTrigger',
      '@acme/provider/s3#S3KeysTrigger',
      'project:lib/acme-trigger.ts#AcmeTrigger',
    );
    expect(answers.map(({ name, message }) => message ?? name)).toEqual([
      'DateTimeTrigger',
      'AcmeTrigger',
      'S3KeysTrigger',
      'AcmeTrigger',
    ]);
  });

  test('from a CommonJS module whose exports Node cannot see in the text', async () => {
    const project = makeProject({
      ...provider({ type: 'commonjs' }),
      'node_modules/@acme/provider/index.js':
        "const name = 'Hid' + 'den'; module.exports = { [name]: class Hidden {} };",
    });
    expect(await load(project, '@acme/provider#Hidden')).toMatchObject([{ name: 'Hidden' }]);
  });

  test('by its former name, also when the subpath is gone', async () => {
    const aliases = {
      '@acme/provider/s3#S3KeyTrigger': '@acme/provider/s3#S3KeysTrigger',
      '@acme/provider/old#S3KeyTrigger': '@acme/provider/s3#S3KeyTrigger',
      '@acme/provider#Round': '@acme/provider#Trip',
      '@acme/provider#Trip': '@acme/provider#Round',
    };
    const answers = await load(
      makeProject(provider({}, { aliases })),
      '@acme/provider/s3#S3KeyTrigger',
      '@acme/provider/old#S3KeyTrigger',
      '@acme/provider#Round',
    );
    expect(answers).toMatchObject([
      { name: 'S3KeysTrigger' },
      { name: 'S3KeysTrigger' },
      { code: 'E_CLASSPATH_UNDECLARED', message: expect.stringContaining('go round') },
    ]);
  });
});

describe('a classpath is refused', () => {
  test('when it is no classpath or names a module of Node', async () => {
    const answers = await load(
      makeProject(),
      'node:fs#rmSync',
      'fs#rmSync',
      'fs/promises#rm',
      '../../etc#x',
      'file:///etc/passwd#x',
      'project:../outside.ts#x',
      'project:/etc/x.ts#x',
    );
    expect(answers.map(({ code }) => code)).toEqual([
      'E_CLASSPATH',
      'E_CLASSPATH_UNDECLARED',
      'E_CLASSPATH_UNDECLARED',
      'E_CLASSPATH',
      'E_CLASSPATH',
      'E_CLASSPATH',
      'E_CLASSPATH',
    ]);
  });

  test('when its package declares no manifest, or one that cannot be read', async () => {
    const project = makeProject({
      ...provider({ windhover: { manifest: './nothing.json' } }),
      'node_modules/left-pad/package.json': '{ "name": "left-pad", "main": "index.js" }',
      'node_modules/left-pad/index.js': "require('node:fs').writeFileSync(__dirname + '/was-loaded', '')",
    });
    const answers = await load(project, 'left-pad#pad', '@acme/provider#AcmeTrigger');
    expect(answers).toMatchObject([
      { code: 'E_CLASSPATH_UNDECLARED', message: expect.stringContaining('declares no manifest') },
      { code: 'E_CLASSPATH_UNDECLARED', message: expect.stringContaining('nothing.json'), hasCause: true },
    ]);
    expect(existsSync(join(project.root, 'node_modules/left-pad/was-loaded'))).toBe(false);
  });

  test('when its package, subpath or file is not there', async () => {
    const answers = await load(
      makeProject(provider()),
      '@acme/nothing#X',
      '@acme/provider/internal#Secret',
      '@acme/provider/internal.js#Secret',
      'project:lib/nothing.ts#X',
      'project:package.json#name',
    );
    expect(answers.map(({ code }) => code)).toEqual([
      'E_CLASSPATH_PACKAGE',
      'E_CLASSPATH_PACKAGE',
      'E_CLASSPATH_PACKAGE',
      'E_CLASSPATH_FILE',
      'E_CLASSPATH_FILE',
    ]);
    expect(answers[0]?.message).toContain('npm install @acme/nothing');
    expect(answers[1]?.message).toContain('"exports" with a "default" condition');
  });

  test('when a package without exports would open all its files', async () => {
    const answers = await load(makeProject(provider({ exports: undefined })), '@acme/provider/internal.js#Secret');
    expect(answers).toMatchObject([{ code: 'E_CLASSPATH_PACKAGE', message: expect.stringContaining('not public') }]);
  });

  test('when the export is missing, with those that are there and the nearest of them', async () => {
    const answers = await load(
      makeProject(provider()),
      '@acme/provider/s3#S3KeyTrigger',
      '@acme/provider/s3#constructor',
    );
    expect(answers).toMatchObject([
      {
        code: 'E_CLASSPATH_EXPORT',
        availableExports: ['S3KeysTrigger', 'limit'],
        message: expect.stringContaining('Exports: S3KeysTrigger, limit. Was it renamed to "S3KeysTrigger"?'),
      },
      { code: 'E_CLASSPATH_EXPORT' },
    ]);
  });

  test('when its module throws', async () => {
    const project = makeProject({ 'lib/broken.ts': "throw new TypeError('no luck');\nexport class X {}" });
    expect(await load(project, 'project:lib/broken.ts#X')).toMatchObject([
      { code: 'E_CLASSPATH_IMPORT', message: expect.stringContaining('TypeError: no luck'), hasCause: true },
    ]);
  });

  test('when a link leads out of the project, or into its node_modules', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'windhover-outside-'));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    mkdirSync(join(outside, 'lib'));
    writeFileSync(join(outside, 'lib/evil.ts'), 'export class Evil {}');
    const project = makeProject(provider());
    project.link('lib/evil.ts', join(outside, 'lib/evil.ts'));
    project.link('linked', join(outside, 'lib'));
    project.link('lib/secret.js', join(project.root, 'node_modules/@acme/provider/internal.js'));
    project.write({ 'lib/good.ts': 'export class Good {}' });
    project.link('lib/inside.ts', 'good.ts');
    const answers = await load(
      project,
      'project:lib/evil.ts#Evil',
      'project:linked/evil.ts#Evil',
      'project:lib/secret.js#Secret',
      'project:lib/inside.ts#Good',
    );
    expect(answers.map(({ code, name }) => code ?? name)).toEqual([
      'E_CLASSPATH_OUTSIDE',
      'E_CLASSPATH_OUTSIDE',
      'E_CLASSPATH_OUTSIDE',
      'Good',
    ]);
  });
});

describe.each(['module', 'commonjs'])('in a project of type %s', (type) => {
  test('a class is found again under its own classpath and not under another', async () => {
    const project = makeProject({
      'package.json': JSON.stringify({ name: 'acme', type }),
      'lib/triggers.ts': 'export class A {}\nexport class B {}',
      'dags/daily.ts': "import { A, B } from '../lib/triggers';\nexport { A, B };",
    });
    const answers = await runScript<string[]>('assert-resolves.ts', {
      projectRoot: project.root,
      file: 'dags/daily.ts',
      checks: [
        ['project:lib/triggers.ts#A', 'A'],
        ['project:lib/triggers.ts#A', 'B'],
        ['project:lib/triggers.ts#C', 'A'],
      ],
    });
    expect(answers).toEqual([
      'ok',
      expect.stringMatching(/^E_CLASSPATH_MISMATCH: .*it leads to A/),
      expect.stringMatching(/^E_CLASSPATH_MISMATCH: .*has no export "C"/),
    ]);
  });
});
