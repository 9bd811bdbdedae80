import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInside } from './project-file.ts';

export interface ErrorLocation {
  /** Relative to the project's root, with forward slashes. */
  readonly file: string;
  readonly line: number;
}

/**
 * Where in the project an import went wrong: in the DAG file itself if the stack passes through it, else in the first
 * file of the project that it names. Both roots must have their links followed, as paths in a stack have.
 */
export function locateError(thrown: unknown, projectRoot: string, dagFile: string): ErrorLocation | null {
  if (!hasStack(thrown)) return null;
  const places = placesOf(thrown)
    .map(({ path, line }) => ({ path: toPath(path), line }))
    .filter(({ path }) => isInside(projectRoot, path) && !path.includes(`${sep}node_modules${sep}`))
    .map(({ path, line }) => ({ file: relative(projectRoot, path).split(sep).join('/'), line }));
  const found = places.find(({ file }) => file === dagFile) ?? places[0];
  if (found) return found;
  return thrown.cause === undefined ? null : locateError(thrown.cause, projectRoot, dagFile);
}

/** The error in the words of whoever found it, without what only a compiler's log needs. */
export function messageOfError(thrown: unknown): string {
  if (!hasStack(thrown))
    return `It threw ${typeof thrown === 'string' ? JSON.stringify(thrown) : String(thrown)}, which is no Error.`;
  const compiled = [...thrown.message.matchAll(COMPILER_LINE)].map(([, , , text]) => text);
  if (compiled.length > 0) return `SyntaxError: ${compiled.join('; ')}`;
  // Node repeats the way by which it came there; the location says so already.
  const message = thrown.message.replace(/\nRequire stack:[\s\S]*$/, '');
  return thrown.name === 'Error' ? message : `${thrown.name}: ${message}`;
}

/** The line of a file where something stands, for what has no stack. */
export function lineWhere(path: string, matches: (line: string) => boolean): number | null {
  try {
    const index = readFileSync(path, 'utf8').split('\n').findIndex(matches);
    return index < 0 ? null : index + 1;
  } catch {
    return null;
  }
}

interface Place {
  readonly path: string;
  readonly line: number;
}

/** esbuild, to which tsx hands the files: `/project/dags/a.ts:3:17: ERROR: Unexpected ";"`. */
const COMPILER_LINE = /^(.+?):(\d+):\d+: ERROR: (.*)$/gm;
/** Node puts the place of a missing export before the stack: `/project/dags/a.ts:2`. */
const HEAD = /^(\S.*):(\d+)\n/;
const FRAME = /^\s+at (?:.*\()?([^()\n]+?):(\d+):\d+\)?$/gm;

function placesOf(error: ErrorLike): Place[] {
  const stack = error.stack ?? '';
  const compiled = [...error.message.matchAll(COMPILER_LINE)];
  const head = HEAD.exec(stack);
  const frames = [...stack.matchAll(FRAME)];
  return [
    ...[...compiled, ...(head ? [head] : []), ...frames].map(([, path, line]) => ({ path: path!, line: Number(line) })),
    ...unresolvedImport(error),
  ];
}

/** Node says which module is missing and who wanted it, but not in which line. */
function unresolvedImport(error: ErrorLike): Place[] {
  const missing = /^Cannot find (?:module|package) '([^']+)'/.exec(error.message)?.[1];
  const importer = /imported from (\S.*)$/m.exec(error.message)?.[1] ?? error.requireStack?.[0];
  if (missing === undefined || importer === undefined) return [];
  const path = toPath(importer);
  const line = lineWhere(path, (text) =>
    [...text.matchAll(/(?:from|import|require)\s*\(?\s*(['"])(.+?)\1/g)].some(([, , specifier]) => {
      const wanted =
        specifier!.startsWith('.') && isAbsolute(missing) ? resolve(dirname(path), specifier!) : specifier!;
      return wanted === missing || wanted.startsWith(`${missing}/`);
    }),
  );
  return line === null ? [] : [{ path, line }];
}

interface ErrorLike {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: unknown;
  readonly requireStack?: readonly string[];
}

/** Errors of another realm are no `instanceof Error`. */
function hasStack(thrown: unknown): thrown is ErrorLike {
  return typeof thrown === 'object' && thrown !== null && typeof (thrown as ErrorLike).message === 'string';
}

function toPath(place: string): string {
  const bare = place.replace(/[?#].*$/, '').replace(/^async /, '');
  if (!bare.startsWith('file:')) return bare;
  try {
    return fileURLToPath(bare);
  } catch {
    return bare;
  }
}
