import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigFileError } from './config-file-error.ts';
import { isPlainObject } from './plain-object.ts';

export interface ConfigFile {
  readonly path: string;
  readonly content: Readonly<Record<string, unknown>>;
}

const NAMES = ['windhover.config.ts', 'windhover.config.js', 'windhover.config.mjs'];

/** Null where the project has no configuration file. */
export async function importConfigFile(projectRoot: string): Promise<ConfigFile | null> {
  const [path, second] = NAMES.map((name) => join(projectRoot, name)).filter((file) => existsSync(file));
  if (path === undefined) return null;
  if (second !== undefined)
    throw new ConfigFileError(path, `there is ${basename(second)} beside it. Keep one of the two.`);
  let module: { readonly default?: unknown };
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new ConfigFileError(path, (error as Error)?.message ?? String(error), { cause: error });
  }
  const content = module.default;
  if (!isPlainObject(content))
    throw new ConfigFileError(path, 'its default export is no object. Write: export default defineConfig({ … });');
  return { path, content };
}
