import { WindhoverError } from '@windhover/core';

/** A run was made with a version of its DAG that had this callback; the code on this host has it no more. */
export class CallbackRemovedError extends WindhoverError {
  readonly code = 'E_CALLBACK_REMOVED';
  /** Such as `onFailure of task "load" of DAG "daily"`. */
  readonly callback: string;
  readonly file: string;
  /** The version of the DAG that the run was made with. */
  readonly versionHash: string;

  constructor(callback: string, file: string, versionHash: string) {
    super(
      `Cannot call the callback ${callback}: version ${versionHash} of the DAG had it, but ${file} has it no more. It is ` +
        'not called for this run; put it back if it is to be called for the next one.',
    );
    this.callback = callback;
    this.file = file;
    this.versionHash = versionHash;
  }
}
