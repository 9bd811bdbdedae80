import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { Dag, ImportError } from '@windhover/core';
import { DagImportError, DagsFolderError, dagFilesOf, loadDagFile } from '@windhover/worker';
import { DagNotInProjectError } from './dag-not-in-project-error.ts';

export interface DagSearch {
  readonly projectRoot: string;
  /** Absolute. */
  readonly dagsFolder: string;
  readonly dagId: string;
  /** Looks only there; relative to the project's root, or absolute. Default: all DAG files. */
  readonly file?: string | undefined;
}

export interface FoundDag {
  readonly dag: Dag;
  /** Relative to the project's root, with forward slashes. */
  readonly file: string;
}

/**
 * Imports DAG files until one has the DAG: first those that mention its id, because each import costs time and runs
 * code that was not asked for.
 */
export async function findDag({ projectRoot, dagsFolder, dagId, file }: DagSearch): Promise<FoundDag> {
  const files =
    file === undefined
      ? await mentionedFirst(projectRoot, await listDagFiles(projectRoot, dagsFolder), dagId)
      : [{ path: pathInside(projectRoot, resolve(projectRoot, file)), isMentioned: true }];
  const available: string[] = [];
  const importErrors: ImportError[] = [];
  const likely: DagImportError[] = [];
  for (const { path, isMentioned } of files) {
    try {
      const { dags, problems } = await loadDagFile(projectRoot, path);
      const dag = dags.find((each) => each.dagId === dagId);
      if (dag) return { dag, file: path };
      available.push(...dags.map((each) => each.dagId));
      for (const { line, message } of problems) importErrors.push({ file: path, line, message, stack: null });
    } catch (error) {
      if (!(error instanceof DagImportError)) throw error;
      if (isMentioned) likely.push(error);
      importErrors.push(asImportError(error));
    }
  }
  // The only file that mentions it is broken: that is the answer.
  if (likely.length === 1) throw likely[0];
  const place = file ?? `${pathInside(projectRoot, dagsFolder)}/`;
  throw new DagNotInProjectError({ dagId, place, available, importErrors });
}

async function listDagFiles(projectRoot: string, dagsFolder: string): Promise<readonly string[]> {
  const entries = await readdir(dagsFolder, { recursive: true, withFileTypes: true }).catch((error: Error) => {
    throw new DagsFolderError(pathInside(projectRoot, dagsFolder), error.message);
  });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => pathInside(projectRoot, join(entry.parentPath, entry.name)));
  return dagFilesOf(files, pathInside(projectRoot, dagsFolder)).sort();
}

async function mentionedFirst(projectRoot: string, files: readonly string[], dagId: string) {
  const looked = await Promise.all(
    files.map(async (path) => ({
      path,
      isMentioned: (await readFile(join(projectRoot, path), 'utf8').catch(() => '')).includes(dagId),
    })),
  );
  return looked.sort((a, b) => Number(b.isMentioned) - Number(a.isMentioned));
}

function asImportError({ file, location, reason, stack }: DagImportError): ImportError {
  return { file: location?.file ?? file, line: location?.line ?? null, message: reason, stack: stack ?? null };
}

function pathInside(projectRoot: string, path: string): string {
  return relative(projectRoot, path).split(sep).join('/');
}
