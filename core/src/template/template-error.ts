import { WindhoverError } from '../windhover-error.ts';

export class TemplateError extends WindhoverError {
  readonly code = 'E_TEMPLATE';
  // The cause may be a passing failure of a connection or an XCom, so the try may be repeated.
  override readonly isRetryable = true;
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`The template of ${path} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.path = path;
  }
}
