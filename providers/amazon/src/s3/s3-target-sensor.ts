import {
  BaseSensor,
  type BaseTrigger,
  type ChecksBefore,
  type PokeResult,
  type SensorOptions,
  type TriggerContext,
} from '@windhover/core';
import { type AwsOptions, awsOptionsOf } from '../aws/aws-options.ts';
import { S3Hook } from './s3-hook.ts';
import { S3KeyTrigger } from './s3-key-trigger.ts';
import { findFirst, foundUrl, type S3Target } from './s3-target.ts';

/** Waits until something is there for each of its targets. Its result is what was found for each, as `s3://…`. */
export abstract class S3TargetSensor<Args extends object> extends BaseSensor<readonly string[], Args & AwsOptions> {
  protected abstract targets(): readonly S3Target[];

  /** Whether data alone says what is waited for. A function does not survive storage. */
  protected get isPlainData(): boolean {
    return true;
  }

  async poke(context: TriggerContext): Promise<PokeResult<readonly string[]>> {
    const hook = this.hook(context);
    const urls: string[] = [];
    for (const target of this.targets()) {
      const found = await findFirst(hook, target);
      if (!found) return { isDone: false };
      urls.push(foundUrl(target, found));
    }
    return { isDone: true, xcom: urls };
  }

  /** Where it can be, a trigger of data only, so that equal waits are one and neighbours share their listing. */
  protected override waitTrigger(context: TriggerContext, before: ChecksBefore): BaseTrigger<any, any> {
    if (!this.isPlainData) return super.waitTrigger(context, before);
    const { pokeInterval = '60s', exponentialBackoff, maxWait } = this.args as SensorOptions;
    return new S3KeyTrigger({
      ...awsOptionsOf(this.args as AwsOptions),
      targets: this.targets(),
      interval: pokeInterval,
      ...(exponentialBackoff ? { exponentialBackoff } : {}),
      ...(maxWait === undefined ? {} : { maxInterval: maxWait }),
      ...before,
    });
  }

  protected hook(context: TriggerContext): S3Hook {
    return new S3Hook(context, awsOptionsOf(this.args as AwsOptions));
  }
}
