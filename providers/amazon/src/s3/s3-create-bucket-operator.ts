import type { BucketLocationConstraint } from '@aws-sdk/client-s3';
import { BaseOperator, type Context } from '@windhover/core';
import { AwsError } from '../aws/aws-error.ts';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import { S3Hook } from './s3-hook.ts';

/** Makes a bucket, in the region of the connection or in `regionName`. One of ours that exists is no error. */
export class S3CreateBucketOperator extends BaseOperator<void, { bucketName: string } & AwsOptions> {
  async execute(context: Context): Promise<void> {
    const { bucketName } = this.args;
    const s3 = await new S3Hook(context, awsOptionsOf(this.args)).client();
    const region = await s3.config.region();
    // The one region that S3 does not want to be told.
    const where =
      region === 'us-east-1'
        ? {}
        : { CreateBucketConfiguration: { LocationConstraint: region as BucketLocationConstraint } };
    try {
      await s3.createBucket({ Bucket: bucketName, ...where });
    } catch (error) {
      if (!AwsError.isInstance(error) || error.awsCode !== 'BucketAlreadyOwnedByYou') throw error;
      context.log.info(`Bucket "${bucketName}" exists already.`);
    }
  }
}
