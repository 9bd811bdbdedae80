import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ObjectCannedACL } from '@aws-sdk/client-s3';
import { BaseOperator, type Context, TaskFailed } from '@windhover/core';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import { S3Hook } from './s3-hook.ts';
import { formatS3Url, locateS3 } from './s3-url.ts';

export interface S3CreateObjectOperatorArgs extends AwsOptions {
  /** A key beside `s3Bucket`, or a full `s3://bucket/key`. */
  readonly s3Key: string;
  readonly s3Bucket?: string;
  /** A text is written as UTF-8. */
  readonly data: string | Uint8Array;
  /** False fails when there is such an object. Default: false. */
  readonly replace?: boolean;
  /** Encrypts it at rest by S3's own key. Default: as the bucket says. */
  readonly encrypt?: boolean;
  /** Default: that of the bucket. */
  readonly aclPolicy?: ObjectCannedACL;
  /** Default: none. */
  readonly compression?: 'gzip';
  /** Default: none. */
  readonly contentType?: string;
}

/** Puts an object into a bucket. Its result is where it is, as `s3://…`. */
export class S3CreateObjectOperator extends BaseOperator<string, S3CreateObjectOperatorArgs> {
  async execute(context: Context): Promise<string> {
    const { s3Key, s3Bucket, data, replace = false, encrypt = false, aclPolicy, compression, contentType } = this.args;
    const target = locateS3(s3Key, s3Bucket);
    const hook = new S3Hook(context, awsOptionsOf(this.args));
    if (!replace && (await hook.headObject(target)))
      throw new TaskFailed(`There is an object ${formatS3Url(target)} already. Set replace to write over it.`);
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    await hook.writeKey(target, compression === 'gzip' ? await promisify(gzip)(bytes) : bytes, {
      ...(encrypt ? { ServerSideEncryption: 'AES256' } : {}),
      ...(aclPolicy === undefined ? {} : { ACL: aclPolicy }),
      ...(compression === undefined ? {} : { ContentEncoding: compression }),
      ...(contentType === undefined ? {} : { ContentType: contentType }),
    });
    return formatS3Url(target);
  }
}
