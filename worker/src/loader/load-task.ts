import { createHash } from 'node:crypto';
import { type BaseOperator, canonicalize, type Dag, serializeDag } from '@windhover/core';
import { importDagFile } from './load-dag-file.ts';
import { locateProjectFile } from './project-file.ts';
import { TaskRemovedError } from './task-removed-error.ts';

export interface DagAddress {
  /** Relative to the project's root. */
  readonly file: string;
  readonly dagId: string;
  /** The version that the run was made with, for the message when this host has another. */
  readonly versionHash: string;
}

export interface TaskAddress extends DagAddress {
  readonly taskId: string;
}

/** The operator of a task, from its DAG file. `E_TASK_REMOVED` when it is no longer there, `E_DAG_IMPORT` when the file is broken. */
export async function loadTask(projectRoot: string, address: TaskAddress): Promise<BaseOperator<any, any>> {
  const dag = await findDag(projectRoot, address, address.taskId);
  const operator = dag.tasks.get(address.taskId);
  if (operator) return operator;
  throw new TaskRemovedError({ ...address, loadedVersionHash: dagVersionHash(dag), available: [...dag.tasks.keys()] });
}

/** The DAG, from its file; for callbacks of the DAG itself. */
export async function loadDag(projectRoot: string, address: DagAddress): Promise<Dag> {
  return findDag(projectRoot, address, null);
}

/** The hash of a DAG's structure: SHA-256 of the canonical text of its serialized form, in hex. */
export function dagVersionHash(dag: Dag): string {
  return createHash('sha256')
    .update(canonicalize(serializeDag(dag)))
    .digest('hex');
}

async function findDag(
  projectRoot: string,
  { file, dagId, versionHash }: DagAddress,
  taskId: string | null,
): Promise<Dag> {
  const removed = (available: readonly string[]) =>
    new TaskRemovedError({ file, dagId, taskId, versionHash, loadedVersionHash: null, available });
  const { exported } = await importDagFile(projectRoot, file).catch(async (error: unknown) => {
    throw (await locateProjectFile(projectRoot, file)).type === 'missing' ? removed([]) : error;
  });
  const dag = exported.find(([, one]) => one.dagId === dagId)?.[1];
  if (dag) return dag;
  throw removed([...new Set(exported.map(([, one]) => one.dagId))]);
}
