import { WindhoverError } from '@windhover/core';

/** Why AWS did not do what it was asked. */
export type AwsErrorKind =
  /** The credentials are missing or wrong. */
  | 'credentials'
  /** They were right once. */
  | 'expired'
  /** They are right, and may not do this. */
  | 'forbidden'
  /** The network, or a service that is busy or broken. */
  | 'transient'
  | 'notFound'
  | 'rejected';

export interface AwsErrorFacts {
  readonly kind: AwsErrorKind;
  readonly service: string;
  readonly operation: string;
  /** The vendor's own name of the error, such as `NoSuchBucket`. */
  readonly awsCode: string;
  readonly statusCode: number | undefined;
}

/** AWS refused a request or could not be reached. The vendor's error is the cause. */
export class AwsError extends WindhoverError {
  readonly code = 'E_AWS';
  override readonly isRetryable: boolean;
  readonly kind: AwsErrorKind;
  readonly service: string;
  readonly operation: string;
  readonly awsCode: string;
  readonly statusCode: number | undefined;

  constructor(message: string, facts: AwsErrorFacts, cause: unknown) {
    super(message, { cause });
    this.kind = facts.kind;
    this.service = facts.service;
    this.operation = facts.operation;
    this.awsCode = facts.awsCode;
    this.statusCode = facts.statusCode;
    // A token that has expired is replaced in the connection, and the next look reads it anew.
    this.isRetryable = facts.kind === 'transient' || facts.kind === 'expired';
  }

  /** Also for one of another copy of this package. */
  static isInstance(value: unknown): value is AwsError {
    return WindhoverError.isWindhoverError(value) && value.code === 'E_AWS';
  }
}
