import { realpathSync } from 'node:fs';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ClasspathMismatchError, type ProjectClasspath, parseClasspath } from '@windhover/core';
import { ClasspathExportError } from './classpath-export-error.ts';
import { ClasspathFileError } from './classpath-file-error.ts';
import { ClasspathImportError } from './classpath-import-error.ts';
import { ClasspathOutsideError } from './classpath-outside-error.ts';
import { ClasspathUndeclaredError } from './classpath-undeclared-error.ts';
import { declaredPackage } from './declared-package.ts';
import { moduleExports } from './module-exports.ts';
import { locateProjectFile } from './project-file.ts';

/**
 * Turns a classpath into what it names. The only place that does: a classpath may come from a stored row, so it reaches
 * public exports of packages with a manifest and files of the project, nothing else.
 */
export interface ClassLoader {
  /** Rejects with an error whose code begins with `E_CLASSPATH`. */
  load(classpath: string): Promise<unknown>;
  /** Rejects with `E_CLASSPATH_MISMATCH` unless the classpath leads back to this very class. */
  assertResolvesTo(classpath: string, target: abstract new (...args: never[]) => unknown): Promise<void>;
}

export interface ClassLoaderOptions {
  /** Packages are looked up from here, as the project's own code would, not from where Windhover is installed. */
  readonly projectRoot: string;
}

/** ```ts const Trigger = await createClassLoader({ projectRoot }).load('@windhover/core#DateTimeTrigger'); ``` */
export function createClassLoader({ projectRoot }: ClassLoaderOptions): ClassLoader {
  const root = realpathSync(projectRoot);
  const loaded = new Map<string, Promise<unknown>>();

  function load(classpath: string): Promise<unknown> {
    const known = loaded.get(classpath);
    if (known) return known;
    const loading = loadFresh(root, classpath);
    loaded.set(classpath, loading);
    // A failure is not kept: the package may be installed, or the file written, before somebody asks again.
    loading.catch(() => loaded.delete(classpath));
    return loading;
  }

  return {
    load,
    async assertResolvesTo(classpath, target) {
      const found = await load(classpath).catch((cause: unknown) => {
        const reason = `it could not be loaded again. ${cause instanceof Error ? cause.message : String(cause)}`;
        throw Object.assign(new ClasspathMismatchError(target.name, classpath, reason), { cause });
      });
      if (found === target) return;
      const name = typeof found === 'function' && found.name;
      throw new ClasspathMismatchError(
        target.name,
        classpath,
        name === target.name
          ? `it leads to another class of the same name. Is the package installed twice? The project's is found from ${root}.`
          : `it leads to ${name || `a value of type ${typeof found}`}. Make the classpath name the export of ${target.name}.`,
      );
    },
  };
}

async function loadFresh(root: string, classpath: string, former: readonly string[] = []): Promise<unknown> {
  const parsed = parseClasspath(classpath);
  if (parsed.type === 'project')
    return importExport(classpath, await projectModule(root, classpath, parsed), parsed.exportName);
  const found = declaredPackage(root, parsed);
  const renamed = found.aliasOf(parsed);
  if (renamed === null) return importExport(classpath, found.resolve(parsed), parsed.exportName);
  if (renamed === classpath || former.includes(renamed)) {
    const circle = [...former, classpath, renamed].join(' → ');
    throw new ClasspathUndeclaredError(
      classpath,
      parsed.packageName,
      `the aliases of its manifest go round: ${circle}`,
    );
  }
  return loadFresh(root, renamed, [...former, classpath]);
}

const SOURCE = new Set(['.ts', '.mts', '.cts', '.tsx', '.js', '.mjs', '.cjs', '.jsx']);

async function projectModule(root: string, classpath: string, { file }: ProjectClasspath): Promise<string> {
  if (!SOURCE.has(extname(file))) {
    throw new ClasspathFileError(
      classpath,
      file,
      `"${file}" is no source file. Write its whole name, such as "lib/acme.ts".`,
    );
  }
  const found = await locateProjectFile(root, file);
  if (found.type === 'missing')
    throw new ClasspathFileError(classpath, file, `the project ${root} has no file "${file}".`);
  if (found.type === 'outside') throw new ClasspathOutsideError(classpath, found.path, `the project ${root}`);
  return found.path;
}

async function importExport(classpath: string, path: string, exportName: string): Promise<unknown> {
  const module = await import(pathToFileURL(path).href).catch((cause: unknown) => {
    throw new ClasspathImportError(classpath, path, cause);
  });
  const exported = moduleExports(module);
  if (!exported.has(exportName)) throw new ClasspathExportError(classpath, exportName, [...exported.keys()]);
  return exported.get(exportName);
}
