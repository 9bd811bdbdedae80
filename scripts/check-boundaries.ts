// Keeps the arrows of ARCHITECTURE.md: which package may depend on which. That sources import only what their package
// declares is biome's part (noUndeclaredDependencies), that core uses no `node:` module is the compiler's (types: []).
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

/** Folder → packages of this repository it may depend on at run time. Private folders where all meet are not listed. */
const ALLOWED: Record<string, readonly string[]> = {
  core: [],
  worker: ['@windhover/core'],
  platform: ['@windhover/core'],
  cli: [
    '@windhover/core',
    '@windhover/worker',
    '@windhover/platform',
    '@windhover/tooling',
    '@windhover/executor-local',
  ],
  tooling: ['@windhover/core', 'create-windhover'],
  'create-windhover': [],
  'testing-services': ['@windhover/core'],
  providers: ['@windhover/core'],
  executors: ['@windhover/core', '@windhover/worker'],
  signals: ['@windhover/core'],
  ui: [],
};
const MEETING_PLACES = ['examples', 'e2e', 'bench', 'templates'];

const root = join(import.meta.dirname, '..');
const manifests = globSync(['*/package.json', '{providers,executors,signals,templates}/*/package.json'], { cwd: root });
const ours = new Map(manifests.map((file) => [read(file).name, dirname(file)]));
const problems = manifests.flatMap(check);

for (const problem of problems) console.error(problem);
console.log(`boundaries: ${manifests.length} packages, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

function check(file: string): string[] {
  const folder = dirname(file);
  const kind = folder.split('/')[0]!;
  if (MEETING_PLACES.includes(kind)) return [];
  const allowed = ALLOWED[kind];
  if (!allowed)
    return [
      `${folder}: this folder is not in the table of scripts/check-boundaries.ts. Add it there and to ARCHITECTURE.md.`,
    ];
  const { dependencies, peerDependencies, optionalDependencies } = read(file);
  const names = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  const forbidden = names.filter((name) => ours.has(name) && !allowed.includes(name));
  const wrong = forbidden.map(
    (name) => `${folder} depends on ${name}; it may depend on: ${allowed.join(', ') || 'nothing of this repository'}.`,
  );
  if (kind === 'core' && names.length > 0) wrong.push(`core depends on ${names.join(', ')}; it depends on nothing.`);
  if (!existsSync(join(root, folder, 'LICENSE')) && !read(file).private)
    wrong.push(`${folder} has no LICENSE file, and it is published.`);
  return wrong;
}

function read(file: string): Manifest {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest;
}
