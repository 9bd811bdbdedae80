import type { ImportError, ParsedDagFile } from '@windhover/core';
import type { FileContent } from './parser-message.ts';

/** The content of a file, and since when it has held what. */
export interface DagFileState {
  readonly codeHash: string;
  readonly content: FileContent;
  /** By DAG id: the number of the batch that first found it in this file. */
  readonly heldSince: ReadonlyMap<string, number>;
}

/**
 * What the platform is told of each file, once all are seen together: a DAG id belongs to one file, the one that held it
 * first, or the first by name. While files are still to be parsed (`isComplete` false), nothing is said of a file with a
 * DAG that an unread file may export.
 */
export function settleDagFiles(
  files: ReadonlyMap<string, DagFileState>,
  isComplete: boolean,
): ReadonlyMap<string, ParsedDagFile> {
  const owners = ownersOf(files);
  const isDecided = ({ content }: DagFileState) => content.notExported.every(({ dagId }) => owners.has(dagId));
  return new Map(
    [...files]
      .filter(([, state]) => isComplete || isDecided(state))
      .map(([file, state]) => [file, settleOne(file, state, owners)]),
  );
}

type Owners = ReadonlyMap<string, { readonly file: string; readonly since: number }>;

function ownersOf(files: ReadonlyMap<string, DagFileState>): Owners {
  const owners = new Map<string, { file: string; since: number }>();
  for (const [file, { content, heldSince }] of files) {
    for (const { dagId } of content.dags) {
      const since = heldSince.get(dagId) ?? 0;
      const owner = owners.get(dagId);
      if (!owner || since < owner.since || (since === owner.since && file < owner.file))
        owners.set(dagId, { file, since });
    }
  }
  return owners;
}

function settleOne(file: string, state: DagFileState, owners: Owners): ParsedDagFile {
  const { content, codeHash } = state;
  const owned = content.dags.filter(({ dagId }) => owners.get(dagId)!.file === file);
  const duplicates: ImportError[] = content.dags
    .filter((dag) => !owned.includes(dag))
    .map(({ dagId }) => ({
      file,
      line: null,
      message: `DAG "${dagId}" is in two files, ${owners.get(dagId)!.file} and ${file}; that of ${owners.get(dagId)!.file} is used. Give one of them another id.`,
      stack: null,
    }));
  const notExported = content.notExported.filter(({ dagId }) => !owners.has(dagId));
  if (duplicates.length === 0 && notExported.length === 0) return asItIs(state);
  const importErrors = [...content.importErrors, ...duplicates, ...notExported.map(({ error }) => error)];
  return { file, codeHash, dags: owned, importErrors };
}

/** The same object each time, so that who compares a thousand files need not look inside. */
function asItIs(state: DagFileState): ParsedDagFile {
  const { file, dags, importErrors } = state.content;
  const known = settled.get(state) ?? { file, codeHash: state.codeHash, dags, importErrors };
  settled.set(state, known);
  return known;
}

const settled = new WeakMap<DagFileState, ParsedDagFile>();
