import { WindhoverError } from '../windhover-error.ts';

/** A text is no classpath. */
export class ClasspathError extends WindhoverError {
  readonly code = 'E_CLASSPATH';
  readonly classpath: string;

  constructor(classpath: string, reason: string) {
    super(
      `Not a classpath: "${classpath}": ${reason}. Write "<package>/<subpath>#<export>", ` +
        'such as "@windhover/provider-amazon/s3#S3KeyTrigger", or "project:<file>#<export>" for a file of the project.',
    );
    this.classpath = classpath;
  }
}
