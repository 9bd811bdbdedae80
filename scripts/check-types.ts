// Type-checks what `tsc -b` does not build: tests, examples and scripts. Each folder with a tsconfig of its own is found.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const projects = [
  'scripts/tsconfig.json',
  'examples/tsconfig.json',
  ...globSync(['*/test/tsconfig.json', '{providers,executors,signals}/*/test/tsconfig.json'], { cwd: root }).sort(),
];

let failed = 0;
for (const project of projects) {
  const { status } = spawnSync('tsc', ['-p', join(root, project), '--noEmit'], { stdio: 'inherit' });
  if (status !== 0) failed += 1;
}
console.log(`types: ${projects.length} folders beside the sources, ${failed} with errors`);
process.exitCode = failed > 0 ? 1 : 0;
