import { WindhoverError } from '@windhover/core';

/** A text that should name an object in S3 does not. */
export class S3UrlError extends WindhoverError {
  readonly code = 'E_OBJECT_URL';
  readonly url: string;

  constructor(url: string, reason: string) {
    super(
      `"${url}" does not name anything in S3: ${reason}. Write s3://bucket/key, or a key and bucketName beside it.`,
    );
    this.url = url;
  }
}
