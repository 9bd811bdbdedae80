import { WindhoverError } from '@windhover/core';

/** The classpath leads to a module from which a stored row may not load code. */
export class ClasspathUndeclaredError extends WindhoverError {
  readonly code = 'E_CLASSPATH_UNDECLARED';
  readonly classpath: string;
  readonly packageName: string;

  constructor(classpath: string, packageName: string, reason: string, options?: ErrorOptions) {
    super(`Cannot load "${classpath}": ${reason}`, options);
    this.classpath = classpath;
    this.packageName = packageName;
  }
}
