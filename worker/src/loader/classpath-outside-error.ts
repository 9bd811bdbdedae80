import { WindhoverError } from '@windhover/core';

/** The file that a classpath names lies, once links are followed, outside of the project or the package. */
export class ClasspathOutsideError extends WindhoverError {
  readonly code = 'E_CLASSPATH_OUTSIDE';
  readonly classpath: string;
  /** Where it leads. */
  readonly path: string;

  constructor(classpath: string, path: string, boundary: string) {
    super(
      `Cannot load "${classpath}": it leads to ${path}, which is outside of ${boundary}. ` +
        'Put the file there, or publish it as a package with a manifest.',
    );
    this.classpath = classpath;
    this.path = path;
  }
}
