// Writes the provider.json of each package of this repository from its sources. With --check it writes nothing and
// fails when one is stale.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSources, readManifestFile } from '../tooling/src/index.ts';

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
const stale: string[] = [];
let count = 0;

for (const file of globSync(['*/package.json', '{providers,executors,signals,templates}/*/package.json'], { cwd: root }).sort()) {
  const folder = dirname(file);
  if (!JSON.parse(readFileSync(join(root, file), 'utf8')).windhover?.manifest) continue;
  const { path, wanted, isStale } = readManifestFile(openSources(join(root, folder)));
  count += 1;
  if (!isStale) continue;
  stale.push(join(folder, path));
  if (!isCheck) writeFileSync(join(root, folder, path), wanted);
}

for (const path of stale) console.log(isCheck ? `${path} is stale. Run: npx -y pnpm@12 manifests` : `wrote ${path}`);
console.log(`manifests: ${count} packages, ${stale.length} ${isCheck ? 'stale' : 'written'}`);
process.exitCode = isCheck && stale.length > 0 ? 1 : 0;
