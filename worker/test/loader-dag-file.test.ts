import { expect, test } from 'vitest';
import { dagFile, makeProject, runScript, type TemporaryProject } from './fixtures/projects/temporary-project.ts';

const load = (project: TemporaryProject, ...files: string[]) =>
  runScript<any[]>('load-dag-files.ts', { projectRoot: project.root, files });

test.each(['module', 'commonjs'])('a DAG file in a project of type %s may use all of TypeScript', async (type) => {
  const project = makeProject({
    'package.json': JSON.stringify({ name: 'acme', type }),
    'lib/color.ts': "export enum Color { Red = 'red' }\nexport namespace Names { export const dag = 'colorful'; }",
    'dags/colorful.ts': `import { dag, task } from '@windhover/core';
import { Color, Names } from '../lib/color';
function logged(method: any, _context: ClassMethodDecoratorContext) { return method; }
class Helper {
  constructor(private readonly color: Color) {}
  @logged name() { return this.color; }
}
export const made = dag(Names.dag, {}, () => { task(new Helper(Color.Red).name(), async () => 1); });
export default made;
export const version = 3;
`,
  });
  const answers = await runScript<any[]>('load-dag-files.ts', {
    projectRoot: project.root,
    files: ['dags/colorful.ts'],
    tasks: [{ file: 'dags/colorful.ts', dagId: 'colorful', taskId: 'red', versionHash: 'v1' }],
  });
  expect(answers).toEqual([
    { dagIds: ['colorful'], problems: [] },
    { taskId: 'red', operatorName: 'FunctionOperator' },
  ]);
});

test('DAGs made in a loop are exported as an array', async () => {
  const project = makeProject({
    'dags/many.ts': `import { dag } from '@windhover/core';
export const tenants = ['north', 'south'].map((name) => dag(\`load_\${name}\`, {}, () => {}));`,
  });
  expect(await load(project, 'dags/many.ts')).toEqual([{ dagIds: ['load_north', 'load_south'], problems: [] }]);
});

test('a DAG that is not exported is named, with its line', async () => {
  const project = makeProject({
    'dags/hidden.ts': `import { dag } from '@windhover/core';\n\nconst made = dag('hidden', {}, () => {});\n`,
  });
  expect(await load(project, 'dags/hidden.ts')).toMatchObject([
    {
      dagIds: [],
      problems: [{ type: 'notExported', dagId: 'hidden', line: 3, message: expect.stringContaining('"hidden"') }],
    },
  ]);
});

test('two exports with one DAG id are named', async () => {
  const project = makeProject({
    'dags/twice.ts': `import { dag } from '@windhover/core';
export const one = dag('twice', {}, () => {});
export const two = dag('twice', {}, () => {});`,
  });
  expect(await load(project, 'dags/twice.ts')).toMatchObject([
    {
      dagIds: ['twice'],
      problems: [{ type: 'duplicateDagId', dagId: 'twice', message: expect.stringContaining('"one" and "two"') }],
    },
  ]);
});

test('a task that the file no longer has is refused with both versions', async () => {
  const project = makeProject({ 'dags/daily.ts': dagFile('daily', 'load') });
  const address = { file: 'dags/daily.ts', dagId: 'daily', versionHash: 'aaaa' };
  const answers = await runScript<any[]>('load-dag-files.ts', {
    projectRoot: project.root,
    tasks: [
      { ...address, taskId: 'extract' },
      { ...address, dagId: 'weekly', taskId: 'load' },
      { ...address, file: 'dags/gone.ts', taskId: 'load' },
    ],
  });
  expect(answers).toMatchObject([
    {
      code: 'E_TASK_REMOVED',
      versionHash: 'aaaa',
      loadedVersionHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      available: ['load'],
    },
    { code: 'E_TASK_REMOVED', loadedVersionHash: null, available: ['daily'] },
    { code: 'E_TASK_REMOVED', loadedVersionHash: null },
  ]);
  const [{ message, loadedVersionHash }] = answers;
  for (const part of ['"extract"', '"daily"', 'aaaa', loadedVersionHash]) expect(message).toContain(part);
});

test('a file outside of the project is not imported as a DAG file', async () => {
  const [project, other] = [makeProject(), makeProject({ 'dags/evil.ts': dagFile('evil') })];
  project.link('dags/evil.ts', `${other.root}/dags/evil.ts`);
  const answers = await load(project, 'dags/evil.ts', '../x.ts', 'dags/nothing.ts');
  expect(answers).toMatchObject([
    { code: 'E_DAG_IMPORT', message: expect.stringContaining('outside of the project') },
    { code: 'E_DAG_IMPORT', message: expect.stringContaining('outside of the project') },
    { code: 'E_DAG_IMPORT', message: expect.stringContaining('no such file') },
  ]);
});
