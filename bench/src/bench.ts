// `pnpm bench <name>`: each measurement starts and stops what it needs.
import { readdirSync } from 'node:fs';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !['bench.ts', 'scene.ts'].includes(file))
  .map((file) => file.slice(0, -3));
const [name = ''] = process.argv.slice(2);
if (!names.includes(name)) {
  console.error(`There is no bench "${name}". There are: ${names.join(', ')}.`);
  process.exit(2);
}
await import(`./${name}.ts`);
