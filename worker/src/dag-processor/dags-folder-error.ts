import { WindhoverError } from '@windhover/core';

/** The folder that is to hold DAG files cannot be one. */
export class DagsFolderError extends WindhoverError {
  readonly code = 'E_DAGS_FOLDER';
  readonly folder: string;

  constructor(folder: string, reason: string) {
    super(`Cannot take DAG files from "${folder}": ${reason}. Name a folder inside the project, such as "dags".`);
    this.folder = folder;
  }
}
