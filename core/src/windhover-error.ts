import { brandPrototype, hasBrand } from './brand.ts';

/**
 * Base of all errors that Windhover makes. `code` is stable and has a line in `docs/errors.md`; the facts of an error
 * are fields of its class.
 */
export abstract class WindhoverError extends Error {
  abstract readonly code: string;
  /** Whether trying again can help. Default: false, because most of these errors are mistakes that stay. */
  readonly isRetryable: boolean = false;

  static {
    brandPrototype(WindhoverError.prototype, 'WindhoverError');
  }

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  static isWindhoverError(value: unknown): value is WindhoverError {
    return hasBrand(value, 'WindhoverError');
  }
}

/** An error as it travels between processes and is stored. */
export interface SerializedError {
  readonly name: string;
  readonly message: string;
  /** Default: none, for errors that are not Windhover's. */
  readonly code?: string;
  /** Default: none. */
  readonly stack?: string;
  /** False forbids a retry. Default: a retry is allowed. */
  readonly isRetryable?: boolean;
  /** True makes a retry begin anew, without what its steps had stored. Default: finished steps are kept. */
  readonly dropsSteps?: boolean;
  /** Default: none. */
  readonly cause?: SerializedError;
}

/** Turns whatever was thrown into plain data. At most five causes deep, so that a cycle of causes ends. */
export function serializeError(thrown: unknown, depth = 5): SerializedError {
  if (typeof thrown !== 'object' || thrown === null) return { name: 'Error', message: String(thrown) };
  const error = thrown as Partial<WindhoverError>;
  return {
    name: typeof error.name === 'string' ? error.name : 'Error',
    message: typeof error.message === 'string' ? error.message : textOf(thrown),
    ...(typeof error.code === 'string' ? { code: error.code } : {}),
    ...(typeof error.stack === 'string' ? { stack: error.stack } : {}),
    ...(typeof error.isRetryable === 'boolean' ? { isRetryable: error.isRetryable } : {}),
    ...((error as { dropsSteps?: unknown }).dropsSteps === true ? { dropsSteps: true } : {}),
    ...(error.cause !== undefined && depth > 0 ? { cause: serializeError(error.cause, depth - 1) } : {}),
  };
}

/** `String(value)`, which throws for an object without a prototype. */
function textOf(value: object): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
