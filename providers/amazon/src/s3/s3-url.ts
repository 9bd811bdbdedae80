import { S3UrlError } from './s3-url-error.ts';

/** Where an object is, or will be. */
export interface S3Location {
  readonly bucketName: string;
  readonly key: string;
}

/** A full `s3://bucket/key`, or a key with its bucket beside it; never both. */
export function locateS3(keyOrUrl: string, bucketName?: string): S3Location {
  const isUrl = /^[a-z0-9+.-]+:\/\//i.test(keyOrUrl);
  if (!isUrl) {
    if (!bucketName) throw new S3UrlError(keyOrUrl, 'it is a key without a bucket');
    return { bucketName, key: keyOrUrl };
  }
  if (bucketName) throw new S3UrlError(keyOrUrl, `it has a bucket of its own beside bucketName "${bucketName}"`);
  return parseS3Url(keyOrUrl);
}

/** By hand and not by `URL`, which would decode keys and lower-case buckets. */
export function parseS3Url(url: string): S3Location {
  const match = /^s3[an]?:\/\/([^/]*)(?:\/(.*))?$/is.exec(url);
  if (!match) throw new S3UrlError(url, 'it does not begin with s3://');
  const [, bucketName = '', key = ''] = match;
  if (!BUCKET_NAME.test(bucketName)) throw new S3UrlError(url, `"${bucketName}" is no name of a bucket`);
  return { bucketName, key };
}

export function formatS3Url({ bucketName, key }: S3Location): string {
  return `s3://${bucketName}/${key}`;
}

const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/;
