import type { ObjectCannedACL } from '@aws-sdk/client-s3';
import { BaseOperator, type Context } from '@windhover/core';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import { S3Hook } from './s3-hook.ts';
import { formatS3Url, locateS3 } from './s3-url.ts';

export interface S3CopyObjectOperatorArgs extends AwsOptions {
  /** A key beside `sourceBucketName`, or a full `s3://bucket/key`. */
  readonly sourceBucketKey: string;
  readonly destBucketKey: string;
  readonly sourceBucketName?: string;
  readonly destBucketName?: string;
  /** Default: the latest. */
  readonly sourceVersionId?: string;
  /** Default: that of the bucket. */
  readonly aclPolicy?: ObjectCannedACL;
}

/** Copies an object inside S3, up to 5 GB. Its result is where the copy is, as `s3://…`. */
export class S3CopyObjectOperator extends BaseOperator<string, S3CopyObjectOperatorArgs> {
  async execute(context: Context): Promise<string> {
    const { sourceBucketKey, sourceBucketName, sourceVersionId, destBucketKey, destBucketName, aclPolicy } = this.args;
    const source = locateS3(sourceBucketKey, sourceBucketName);
    const target = locateS3(destBucketKey, destBucketName);
    const version = sourceVersionId === undefined ? {} : { versionId: sourceVersionId };
    await new S3Hook(context, awsOptionsOf(this.args)).copyObject({ ...source, ...version }, target, {
      ...(aclPolicy === undefined ? {} : { ACL: aclPolicy }),
    });
    return formatS3Url(target);
  }
}
