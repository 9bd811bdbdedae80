import { WindhoverError } from '@windhover/core';

/** The process that is to import DAG files did not come up. */
export class ParserStartError extends WindhoverError {
  readonly code = 'E_PARSER_START';
  override readonly isRetryable = true;
  /** The last lines it wrote to stderr. */
  readonly stderr: string;

  constructor(reason: string, stderr: string) {
    super(`Cannot start a process to import DAG files: ${reason}.${stderr && ` It wrote:\n${stderr}`}`);
    this.stderr = stderr;
  }
}
