import { WindhoverError } from '@windhover/core';

/** The project has no such source file. */
export class ClasspathFileError extends WindhoverError {
  readonly code = 'E_CLASSPATH_FILE';
  readonly classpath: string;
  readonly file: string;

  constructor(classpath: string, file: string, reason: string) {
    super(`Cannot load "${classpath}": ${reason}`);
    this.classpath = classpath;
    this.file = file;
  }
}
