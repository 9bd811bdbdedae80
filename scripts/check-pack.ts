// Packs every published package as `npm publish` would, and looks at what a user would get.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

const root = join(import.meta.dirname, '..');
const problems: string[] = [];

for (const file of globSync(['*/package.json', '{providers,executors,signals}/*/package.json'], { cwd: root })) {
  const manifest = JSON.parse(readFileSync(join(root, file), 'utf8'));
  if (manifest.private) continue;
  const output = execFileSync('npm', ['pack', '--dry-run', '--json'], {
    cwd: join(root, dirname(file)),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const answer: Packed[] | Record<string, Packed> = JSON.parse(output);
  const [packed] = Object.values(answer) as [Packed];
  const paths = new Set(packed.files.map(({ path }) => path));
  for (const target of exportTargets(manifest.exports)) {
    if (!paths.has(target))
      problems.push(`${manifest.name}: its exports name ${target}, which is not in the package. Was it built?`);
  }
  if (![...paths].some((path) => path.endsWith('.d.ts'))) problems.push(`${manifest.name} has no types`);
  if (manifest.windhover?.manifest && !paths.has(manifest.windhover.manifest.replace('./', ''))) {
    problems.push(`${manifest.name}: its provider manifest is not in the package`);
  }
  const dependencies = Object.keys(manifest.dependencies ?? {}).length;
  console.log(
    `${manifest.name}: ${packed.files.length} files, ${kB(packed.size)} packed, ${kB(packed.unpackedSize)} unpacked, ${dependencies} dependencies`,
  );
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Every file the `exports` lead a user to; the `development` condition is for this repository only. */
function exportTargets(exports: unknown): string[] {
  if (typeof exports === 'string') return [exports.replace('./', '')];
  return Object.entries((exports ?? {}) as Record<string, unknown>).flatMap(([condition, target]) =>
    condition === 'development' ? [] : exportTargets(target),
  );
}

function kB(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
