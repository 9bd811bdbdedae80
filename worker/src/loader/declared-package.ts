import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { formatClasspath, type PackageClasspath } from '@windhover/core';
import { ClasspathOutsideError } from './classpath-outside-error.ts';
import { ClasspathPackageError } from './classpath-package-error.ts';
import { ClasspathUndeclaredError } from './classpath-undeclared-error.ts';
import { isInside } from './project-file.ts';

/** A package that offers classes to rows and DAGs, because its `package.json` names a manifest. */
export interface DeclaredPackage {
  /** The classpath by which the manifest now calls it, or null when it is still called so. */
  aliasOf(classpath: PackageClasspath): string | null;
  /** The file of the classpath's module. */
  resolve(classpath: PackageClasspath): string;
}

/** Finds the package as the project's own code would, starting at the project's root. */
export function declaredPackage(projectRoot: string, classpath: PackageClasspath): DeclaredPackage {
  const text = formatClasspath(classpath);
  const { packageName } = classpath;
  if (isBuiltin(packageName) || isBuiltin(specifierOf(classpath))) {
    throw new ClasspathUndeclaredError(
      text,
      packageName,
      `"${packageName}" is a module of Node itself. Only packages with a manifest can be named.`,
    );
  }
  const require = createRequire(join(projectRoot, 'package.json'));
  const root = packageRoot(projectRoot, require, packageName);
  if (root === null) {
    throw new ClasspathPackageError(
      text,
      packageName,
      `the package "${packageName}" is not installed in the project ${projectRoot}. Install it there: npm install ${packageName}`,
    );
  }
  const description = readJson(join(root, 'package.json')) as PackageDescription;
  const aliases = readAliases(text, packageName, root, description);
  return {
    aliasOf: (wanted) => {
      const former = formatClasspath(wanted);
      return Object.hasOwn(aliases, former) ? aliases[former]! : null;
    },
    resolve: (wanted) => resolveModule(require, root, description, wanted),
  };
}

interface PackageDescription {
  readonly name?: unknown;
  readonly exports?: unknown;
  readonly windhover?: { readonly manifest?: unknown };
}

/** Looked up by folder, not through `exports`: an alias must be found even after its subpath is gone. */
function packageRoot(projectRoot: string, require: NodeJS.Require, packageName: string): string | null {
  const own = join(projectRoot, 'package.json');
  if (existsSync(own) && (readJson(own) as PackageDescription).name === packageName) return realpathSync(projectRoot);
  const folder = (require.resolve.paths(packageName) ?? [])
    .map((directory) => join(directory, packageName))
    .find((candidate) => existsSync(join(candidate, 'package.json')));
  return folder === undefined ? null : realpathSync(folder);
}

function readAliases(
  classpath: string,
  packageName: string,
  root: string,
  description: PackageDescription,
): Readonly<Record<string, string>> {
  const manifest = description.windhover?.manifest;
  if (typeof manifest !== 'string') {
    throw new ClasspathUndeclaredError(
      classpath,
      packageName,
      `the package "${packageName}" declares no manifest, so nothing in it can be loaded by name. ` +
        'If it is yours, add to its package.json: "windhover": { "manifest": "./provider.json" }',
    );
  }
  try {
    return (readJson(join(root, manifest)) as { aliases?: Record<string, string> }).aliases ?? {};
  } catch (cause) {
    throw new ClasspathUndeclaredError(
      classpath,
      packageName,
      `the manifest of "${packageName}", ${join(root, manifest)}, cannot be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function resolveModule(
  require: NodeJS.Require,
  root: string,
  description: PackageDescription,
  classpath: PackageClasspath,
): string {
  const text = formatClasspath(classpath);
  const { packageName, subpath } = classpath;
  // Without `exports` every file of the package would be reachable, and a classpath is a public export.
  if (description.exports === undefined && subpath !== '') {
    throw new ClasspathPackageError(
      text,
      packageName,
      `the package.json of "${packageName}" has no "exports", so "${subpath}" is not public.`,
    );
  }
  let path: string;
  try {
    path = realpathSync(require.resolve(specifierOf(classpath)));
  } catch (cause) {
    throw new ClasspathPackageError(
      text,
      packageName,
      `the package "${packageName}" is installed, but ${subpath ? `its subpath "${subpath}"` : 'its main entry'} cannot be resolved. ` +
        `Its package.json has to list it in "exports" with a "default" condition: ${firstLine(cause)}`,
      { cause },
    );
  }
  if (!isInside(root, path)) throw new ClasspathOutsideError(text, path, `the package ${root}`);
  return path;
}

function specifierOf({ packageName, subpath }: PackageClasspath): string {
  return subpath ? `${packageName}/${subpath}` : packageName;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function firstLine(error: unknown): string {
  return String((error as Error).message).split('\n', 1)[0]!;
}
