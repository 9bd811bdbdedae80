import { WindhoverError } from '@windhover/core';

/** The package of a classpath, or the subpath of it, is not there. */
export class ClasspathPackageError extends WindhoverError {
  readonly code = 'E_CLASSPATH_PACKAGE';
  readonly classpath: string;
  readonly packageName: string;

  constructor(classpath: string, packageName: string, reason: string, options?: ErrorOptions) {
    super(`Cannot load "${classpath}": ${reason}`, options);
    this.classpath = classpath;
    this.packageName = packageName;
  }
}
