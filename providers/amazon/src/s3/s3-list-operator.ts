import { BaseOperator, type Context } from '@windhover/core';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import { keyPattern } from './key-pattern.ts';
import { S3Hook } from './s3-hook.ts';

export interface S3ListOperatorArgs extends AwsOptions {
  readonly bucketName: string;
  /** Default: all keys. */
  readonly prefix?: string;
  /** With `/`, only the keys of one folder. Default: none. */
  readonly delimiter?: string;
  /** `prefix` is a pattern of a shell: `in/*.csv`. Default: false. */
  readonly applyWildcard?: boolean;
}

/** Its result is the keys of a bucket, all of them. */
export class S3ListOperator extends BaseOperator<readonly string[], S3ListOperatorArgs> {
  async execute(context: Context): Promise<readonly string[]> {
    const { bucketName, prefix = '', delimiter, applyWildcard = false } = this.args;
    const pattern = keyPattern(applyWildcard ? 'wildcard' : 'prefix', prefix);
    const hook = new S3Hook(context, awsOptionsOf(this.args));
    const limit = delimiter === undefined ? {} : { delimiter };
    const keys = await hook.listKeys({ bucketName, prefix: pattern.prefix, ...limit });
    return keys.filter((key) => pattern.matches(key));
  }
}
