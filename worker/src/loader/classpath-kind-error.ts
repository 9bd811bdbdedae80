import { WindhoverError } from '@windhover/core';

/** A classpath leads to something, but not to what is needed in its place. */
export class ClasspathKindError extends WindhoverError {
  readonly code = 'E_CLASSPATH_KIND';
  readonly classpath: string;
  /** Such as `a class that extends BaseHook`. */
  readonly wanted: string;

  constructor(classpath: string, wanted: string) {
    super(`Cannot use "${classpath}": it is not ${wanted}. Correct the name where it is given.`);
    this.classpath = classpath;
    this.wanted = wanted;
  }
}
