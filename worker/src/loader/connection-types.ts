import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ProviderManifest } from '@windhover/core';

/**
 * The hook of each connection type that the project's packages offer, by their manifests: data, no code is loaded. A
 * package that cannot be read offers none; whoever needs it is told when it is loaded by name.
 */
export function readConnectionTypes(projectRoot: string): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const { connectionTypes = [] } of readManifests(projectRoot))
    for (const { connType, hook } of connectionTypes) types.set(connType, hook);
  return types;
}

function readManifests(projectRoot: string): ProviderManifest[] {
  const own = readJson(join(projectRoot, 'package.json'));
  const require = createRequire(join(projectRoot, 'package.json'));
  const installed = Object.keys({ ...own?.dependencies, ...own?.devDependencies }).map((name) => {
    const folders = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name, 'package.json'));
    return folders.find((file) => readJson(file) !== null) ?? null;
  });
  return [join(projectRoot, 'package.json'), ...installed].flatMap((file) => {
    const manifest = file && readJson(file)?.windhover?.manifest;
    const content = typeof manifest === 'string' ? readJson(join(dirname(file!), manifest)) : null;
    return content ? [content as ProviderManifest] : [];
  });
}

function readJson(file: string): any {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
