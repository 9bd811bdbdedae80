import { WindhoverError } from '@windhover/core';
import { formatS3Url, type S3Location } from './s3-url.ts';

export class S3XComMissingError extends WindhoverError {
  readonly code = 'E_XCOM_OBJECT_MISSING';
  readonly url: string;

  constructor(place: S3Location) {
    super(
      `The result at ${formatS3Url(place)} is gone. Clear the task that made it; look for a lifecycle rule of the bucket if this comes again.`,
    );
    this.url = formatS3Url(place);
  }
}
