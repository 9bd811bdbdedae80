import { type S3Target, s3Targets } from './s3-target.ts';
import { S3TargetSensor } from './s3-target-sensor.ts';

export interface S3PrefixSensorArgs {
  readonly bucketName: string;
  /** All of them must be there. */
  readonly prefix: string | readonly string[];
  /** Ends a prefix: `in` means what is below `in/`. Default: `/`. */
  readonly delimiter?: string;
}

/** Waits until there is an object below a prefix. Its result is the prefixes, as `s3://…`. */
export class S3PrefixSensor extends S3TargetSensor<S3PrefixSensorArgs> {
  protected targets(): readonly S3Target[] {
    const { bucketName, prefix, delimiter = '/' } = this.args;
    const ended = [prefix].flat().map((each) => (each === '' || each.endsWith(delimiter) ? each : each + delimiter));
    return s3Targets(ended, bucketName, 'prefix');
  }
}
