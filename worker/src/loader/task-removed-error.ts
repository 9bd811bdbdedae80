import { WindhoverError } from '@windhover/core';

export interface TaskRemovedFacts {
  readonly file: string;
  readonly dagId: string;
  /** Null where the whole DAG was wanted. */
  readonly taskId: string | null;
  /** The version of the DAG that the run was made with. */
  readonly versionHash: string;
  /** The version that this host has; null where it has no such DAG. */
  readonly loadedVersionHash: string | null;
  /** What the file has in its place. */
  readonly available: readonly string[];
}

/** A run was made with a version of its DAG that had this task; the code on this host has it no more. */
export class TaskRemovedError extends WindhoverError implements TaskRemovedFacts {
  readonly code = 'E_TASK_REMOVED';
  readonly file: string;
  readonly dagId: string;
  readonly taskId: string | null;
  readonly versionHash: string;
  readonly loadedVersionHash: string | null;
  readonly available: readonly string[];

  constructor({ file, dagId, taskId, versionHash, loadedVersionHash, available }: TaskRemovedFacts) {
    const missing = loadedVersionHash === null ? `DAG "${dagId}" is` : `task "${taskId}" of DAG "${dagId}" is`;
    super(
      `Cannot run ${taskId === null ? `DAG "${dagId}"` : `task "${taskId}" of DAG "${dagId}"`}: ` +
        `the run was made with version ${versionHash}, but ${missing} no longer in ${file}, ` +
        `${loadedVersionHash === null ? 'which has no version of it' : `whose version is ${loadedVersionHash}`}. ` +
        `There is: ${available.join(', ') || 'nothing'}. Put it back, or clear the run to take the new version.`,
    );
    this.file = file;
    this.dagId = dagId;
    this.taskId = taskId;
    this.versionHash = versionHash;
    this.loadedVersionHash = loadedVersionHash;
    this.available = available;
  }
}
