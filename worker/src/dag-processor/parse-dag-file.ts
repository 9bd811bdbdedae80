// The process in which users' DAG files are imported. It is thrown away after a batch, so Node's cache of modules never
// serves old code. Started by parser-process.ts as: node --import tsx parse-dag-file.ts <project root>

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Dag, type ImportError, serializeDag } from '@windhover/core';
import { DagImportError } from '../loader/dag-import-error.ts';
import { loadDagFile } from '../loader/load-dag-file.ts';
import { lineWhere, locateError, messageOfError } from '../loader/locate-error.ts';
import { exitWithParent } from '../task/exit-with-parent.ts';
import type { FileContent, ParseRequest, ParserMessage } from './parser-message.ts';
import { ProcessExitError } from './process-exit-error.ts';

const projectRoot = realpathSync(process.argv[2]!);
const exit = process.exit.bind(process);
const send = process.send!.bind(process);

process.exit = (exitCode?: unknown): never => {
  throw new ProcessExitError(exitCode);
};
process.on('disconnect', () => exit(0));
// What a file leaves running may fail later, when another file's turn has come: it is told in the log, no more.
process.on('uncaughtException', (error) => process.stderr.write(`${error instanceof Error ? error.stack : error}\n`));
process.on('message', async ({ file }: ParseRequest) => answer({ type: 'parsed', ...(await parse(file)) }));
exitWithParent();
answer({ type: 'ready' });

function answer(message: ParserMessage): void {
  send(message);
}

async function parse(file: string): Promise<FileContent> {
  try {
    const { dags, problems } = await loadDagFile(projectRoot, file);
    const asError = ({ line, message }: { line: number | null; message: string }): ImportError => ({
      file,
      line,
      message,
      stack: null,
    });
    const serialized = dags.map((dag) => serializeOne(file, dag));
    return {
      file,
      dags: serialized.flatMap((one) => ('dag' in one ? [one.dag] : [])),
      importErrors: [
        ...problems.filter(({ type }) => type !== 'notExported').map(asError),
        ...serialized.flatMap((one) => ('error' in one ? [one.error] : [])),
      ],
      notExported: problems
        .filter(({ type }) => type === 'notExported')
        .map((problem) => ({ dagId: problem.dagId, error: asError(problem) })),
    };
  } catch (error) {
    return { file, dags: [], importErrors: [importError(file, error)], notExported: [] };
  }
}

/** One DAG that cannot be stored does not take the others of its file with it. */
function serializeOne(file: string, dag: Dag): { dag: ReturnType<typeof serializeDag> } | { error: ImportError } {
  try {
    return { dag: serializeDag(dag) };
  } catch (error) {
    const line = lineWhere(join(projectRoot, file), (text) => text.includes(`'${dag.dagId}'`));
    return { error: { ...importError(file, error), file, line } };
  }
}

function importError(file: string, thrown: unknown): ImportError {
  const error = thrown instanceof DagImportError ? thrown : null;
  const cause = error ? (error.cause ?? error) : thrown;
  const location = error ? error.location : locateError(thrown, projectRoot, file);
  return {
    file: location?.file ?? file,
    line: location?.line ?? null,
    message: error?.reason ?? messageOfError(thrown),
    stack: cause instanceof Error ? (cause.stack ?? null) : null,
  };
}
