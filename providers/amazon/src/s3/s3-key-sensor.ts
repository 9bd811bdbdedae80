import {
  InvalidOptionError,
  type OperatorOptions,
  type PokeResult,
  type SensorOptions,
  type TemplatedArgs,
  type TriggerContext,
} from '@windhover/core';
import type { AwsOptions } from '../aws/aws-options.ts';
import type { S3Hook, S3Object } from './s3-hook.ts';
import { findAll, foundUrl, type S3Target, s3Targets } from './s3-target.ts';
import { S3TargetSensor } from './s3-target-sensor.ts';

export interface S3KeySensorArgs {
  /** A key beside `bucketName`, or a full `s3://bucket/key`; all of several must be there. */
  readonly bucketKey: string | readonly string[];
  readonly bucketName?: string;
  /** `bucketKey` is a pattern of a shell: `in/*.csv`. Default: false. */
  readonly wildcardMatch?: boolean;
  /** `bucketKey` is a regular expression that matches from the beginning of the key. Default: false. */
  readonly useRegex?: boolean;
  /** Asked once for each `bucketKey` about all objects it matches; false waits on. Default: being there is enough. */
  readonly checkFn?: (files: readonly S3File[], context: TriggerContext) => boolean | Promise<boolean>;
  /** What `checkFn` is told of each object, in S3's own words; `*` is everything. Default: `Size` and `Key`. */
  readonly metadataKeys?: readonly string[];
}

/** `{ Size: 3, Key: 'in/a.csv' }` */
export type S3File = Readonly<Record<string, unknown>>;

/**
 * Waits for objects. Its result is the first object for each `bucketKey`, as `s3://…`.
 *
 * ```ts
 * new S3KeySensor({ taskId: 'wait', bucketKey: 's3://landing/sales/*.csv', wildcardMatch: true });
 * ```
 */
export class S3KeySensor extends S3TargetSensor<S3KeySensorArgs> {
  constructor(options: OperatorOptions & SensorOptions & TemplatedArgs<S3KeySensorArgs & AwsOptions>) {
    super(options);
    if (options.wildcardMatch === true && options.useRegex === true)
      throw new InvalidOptionError(`Task "${this.taskId}"`, 'useRegex', 'wildcardMatch is set, too; choose one');
  }

  override async poke(context: TriggerContext): Promise<PokeResult<readonly string[]>> {
    const { checkFn } = this.args;
    if (!checkFn) return super.poke(context);
    const hook = this.hook(context);
    const urls: string[] = [];
    for (const target of this.targets()) {
      const found = await this.describe(hook, target, await findAll(hook, target));
      const files = found.map(({ file }) => file);
      if (!found[0] || !(await checkFn(files, context))) return { isDone: false };
      urls.push(foundUrl(target, found[0]));
    }
    return { isDone: true, xcom: urls };
  }

  protected targets(): readonly S3Target[] {
    const { bucketKey, bucketName, wildcardMatch = false, useRegex = false } = this.args;
    return s3Targets(bucketKey, bucketName, useRegex ? 'regex' : wildcardMatch ? 'wildcard' : 'exact');
  }

  protected override get isPlainData(): boolean {
    return this.args.checkFn === undefined;
  }

  /** What vanished between the listing and the closer look is left out, as if it had not been listed. */
  private async describe(
    hook: S3Hook,
    target: S3Target,
    objects: readonly S3Object[],
  ): Promise<readonly { readonly key: string; readonly file: S3File }[]> {
    const { metadataKeys = ['Size', 'Key'] } = this.args;
    const isListed = metadataKeys.every((name) => LISTED.has(name));
    const found: { key: string; file: S3File }[] = [];
    for (const { key, size, eTag, lastModified, storageClass } of objects) {
      const listed = { Key: key, Size: size, ETag: eTag, LastModified: lastModified, StorageClass: storageClass };
      const head = isListed ? {} : await hook.headObject({ bucketName: target.bucketName, key });
      if (!head) continue;
      const file = { ...listed, ...head };
      found.push({ key, file: metadataKeys.includes('*') ? file : pick(file, metadataKeys) });
    }
    return found;
  }
}

/** What a listing tells; anything else takes a request for each object. */
const LISTED = new Set(['Key', 'Size', 'ETag', 'LastModified', 'StorageClass']);

function pick(file: S3File, names: readonly string[]): S3File {
  return Object.fromEntries(names.map((name) => [name, file[name]]));
}
