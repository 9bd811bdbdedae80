import { BaseOperator, type Context, InvalidOptionError } from '@windhover/core';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import { S3Hook } from './s3-hook.ts';

export interface S3DeleteObjectsOperatorArgs extends AwsOptions {
  readonly bucketName: string;
  /** Either this or `prefix`. */
  readonly keys?: string | readonly string[];
  /** All objects below it. */
  readonly prefix?: string;
  /** With `prefix`: only those written at this time or later. Default: no limit. */
  readonly fromDatetime?: Date;
  /** With `prefix`: only those written before. Default: no limit. */
  readonly toDatetime?: Date;
}

/** Deletes objects. Missing ones are no error. Its result is how many there were. */
export class S3DeleteObjectsOperator extends BaseOperator<number, S3DeleteObjectsOperatorArgs> {
  async execute(context: Context): Promise<number> {
    const { bucketName, keys, prefix, fromDatetime, toDatetime } = this.args;
    if ((keys === undefined) === (prefix === undefined))
      throw new InvalidOptionError(`Task "${context.taskId}"`, 'keys', 'pass either keys or prefix');
    const hook = new S3Hook(context, awsOptionsOf(this.args));
    if (keys !== undefined) {
      const list = [keys].flat();
      await hook.deleteKeys(bucketName, list);
      return list.length;
    }
    let deleted = 0;
    for await (const page of hook.listPages({ bucketName, prefix: prefix! })) {
      const meant = page.filter(
        ({ lastModified: at }) => (!fromDatetime || at >= fromDatetime) && (!toDatetime || at < toDatetime),
      );
      await hook.deleteKeys(
        bucketName,
        meant.map(({ key }) => key),
      );
      deleted += meant.length;
    }
    return deleted;
  }
}
