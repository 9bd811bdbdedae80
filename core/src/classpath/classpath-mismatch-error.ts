import { WindhoverError } from '../windhover-error.ts';

/** The class that is to be stored would not be found again under the classpath it names. */
export class ClasspathMismatchError extends WindhoverError {
  readonly code = 'E_CLASSPATH_MISMATCH';
  readonly className: string;
  readonly classpath: string | undefined;

  constructor(className: string, classpath: string | undefined, reason: string) {
    super(`Cannot store ${className} by its classpath${classpath ? ` "${classpath}"` : ''}: ${reason}`);
    this.className = className;
    this.classpath = classpath;
  }
}
