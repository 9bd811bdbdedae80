import { realpath } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { Dag, takeDagsMade } from '@windhover/core';
import { DagImportError } from './dag-import-error.ts';
import { lineWhere, locateError, messageOfError } from './locate-error.ts';
import { moduleExports } from './module-exports.ts';
import { locateProjectFile } from './project-file.ts';

export interface LoadedDagFile {
  /** The DAGs it exports, each once. */
  readonly dags: readonly Dag[];
  readonly problems: readonly DagFileProblem[];
}

/**
 * `notExported`: made, but not exported by this file. It may be another file's that this one imports: who knows all
 * files knows better. `duplicateDagId`: two exports share an id; the first by name counts.
 */
export interface DagFileProblem {
  readonly type: 'notExported' | 'duplicateDagId';
  readonly dagId: string;
  readonly message: string;
  /** Null where it is not known. */
  readonly line: number | null;
}

/**
 * Imports a DAG file into this process. Rejects with `DagImportError` when that fails. One at a time: a Dag that is not
 * exported is known by having been made meanwhile.
 *
 * ```ts
 * const { dags, problems } = await loadDagFile(process.cwd(), 'dags/daily.ts');
 * ```
 */
export async function loadDagFile(projectRoot: string, file: string): Promise<LoadedDagFile> {
  takeDagsMade();
  const { exported, path } = await importDagFile(projectRoot, file);
  const made = takeDagsMade().filter((one) => Dag.isInstance(one));
  const lineOf = (dagId: string) =>
    lineWhere(path, (line) => line.includes(`'${dagId}'`) || line.includes(`"${dagId}"`));
  const problems: DagFileProblem[] = [];
  const byId = new Map<string, { dag: Dag; name: string }>();
  for (const [name, dag] of exported) {
    const first = byId.get(dag.dagId);
    if (!first) byId.set(dag.dagId, { dag, name });
    else if (first.dag !== dag) {
      problems.push({
        type: 'duplicateDagId',
        dagId: dag.dagId,
        message: `The exports "${first.name}" and "${name}" are both DAG "${dag.dagId}"; "${first.name}" is used. Give one of them another id.`,
        line: lineOf(dag.dagId),
      });
    }
  }
  const isExported = new Set(exported.map(([, dag]) => dag));
  for (const { dagId } of made.filter((dag) => !isExported.has(dag))) {
    problems.push({
      type: 'notExported',
      dagId,
      message: `DAG "${dagId}" is made here but not exported, so it would never run. Write: export const … = dag('${dagId}', …)`,
      line: lineOf(dagId),
    });
  }
  return { dags: [...byId.values()].map(({ dag }) => dag), problems };
}

export interface ImportedDagFile {
  /** Links followed. */
  readonly path: string;
  /** Export names with their DAGs. An exported array of DAGs counts as `name[0]`, `name[1]`, … */
  readonly exported: readonly (readonly [name: string, dag: Dag])[];
}

/** Imports a DAG file. Node keeps the module for the life of the process, so we keep what was found in it. */
export function importDagFile(projectRoot: string, file: string): Promise<ImportedDagFile> {
  const key = `${projectRoot}\0${file}`;
  const known = imported.get(key);
  if (known) return known;
  const importing = importFresh(projectRoot, file);
  imported.set(key, importing);
  importing.catch(() => imported.delete(key));
  return importing;
}

const imported = new Map<string, Promise<ImportedDagFile>>();

async function importFresh(projectRoot: string, file: string): Promise<ImportedDagFile> {
  const found = await locateProjectFile(projectRoot, file);
  if (found.type === 'missing') throw new DagImportError(file, null, `the project ${projectRoot} has no such file.`);
  if (found.type === 'outside') {
    throw new DagImportError(
      file,
      null,
      `it leads to ${found.path}, which is outside of the project ${projectRoot}. Put the file itself there.`,
    );
  }
  try {
    const module: object = await import(pathToFileURL(found.path).href);
    return { path: found.path, exported: [...moduleExports(module)].flatMap(([name, value]) => dagsIn(name, value)) };
  } catch (cause) {
    const root = await realpath(projectRoot);
    throw new DagImportError(file, locateError(cause, root, file), messageOfError(cause), { cause });
  }
}

function dagsIn(name: string, value: unknown): [string, Dag][] {
  if (Dag.isInstance(value)) return [[name, value]];
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown, index) =>
    Dag.isInstance(one) ? [[`${name}[${index}]`, one] as [string, Dag]] : [],
  );
}
