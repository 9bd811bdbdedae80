import { WindhoverError } from '@windhover/core';

/** The module of a classpath threw while it was imported; `cause` is what it threw. */
export class ClasspathImportError extends WindhoverError {
  readonly code = 'E_CLASSPATH_IMPORT';
  readonly classpath: string;
  /** The file that was imported. */
  readonly path: string;

  constructor(classpath: string, path: string, cause: unknown) {
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    super(`Cannot load "${classpath}": importing ${path} failed: ${reason}`, { cause });
    this.classpath = classpath;
    this.path = path;
  }
}
