import { BaseOperator, type Context } from '@windhover/core';
import { AwsError } from '../aws/aws-error.ts';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import { S3Hook } from './s3-hook.ts';

export interface S3DeleteBucketOperatorArgs extends AwsOptions {
  readonly bucketName: string;
  /** Deletes its objects first; S3 refuses a bucket that has some. Default: false. */
  readonly forceDelete?: boolean;
}

/** Deletes a bucket. A missing one is no error. */
export class S3DeleteBucketOperator extends BaseOperator<void, S3DeleteBucketOperatorArgs> {
  async execute(context: Context): Promise<void> {
    const { bucketName, forceDelete = false } = this.args;
    const hook = new S3Hook(context, awsOptionsOf(this.args));
    try {
      if (forceDelete) {
        for await (const page of hook.listPages({ bucketName }))
          await hook.deleteKeys(
            bucketName,
            page.map(({ key }) => key),
          );
      }
      await (await hook.client()).deleteBucket({ Bucket: bucketName });
    } catch (error) {
      if (!AwsError.isInstance(error) || error.awsCode !== 'NoSuchBucket') throw error;
      context.log.info(`There is no bucket "${bucketName}".`);
    }
  }
}
