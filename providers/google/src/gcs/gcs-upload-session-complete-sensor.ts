import {
  type BaseTrigger,
  type ChecksBefore,
  type Duration,
  durationMs,
  InvalidOptionError,
  type OperatorOptions,
  type PokeResult,
  type SensorOptions,
  type TemplatedArgs,
  type TriggerContext,
} from '@windhover/core';
import { type GCSArgs, GCSSensor } from './gcs-sensor.ts';
import { GCSUploadSessionCompleteTrigger } from './gcs-upload-session-complete-trigger.ts';
import { isUploadComplete, type UploadSessionRules } from './upload-session.ts';

export interface GCSUploadSessionCompleteArgs extends GCSArgs {
  readonly prefix: string;
  /** How long nothing may have been written. Default: 1 hour. */
  readonly inactivityPeriod?: Duration;
  /** How many objects there must be. Default: 1. */
  readonly minObjects?: number;
  /** False fails the task when an object disappears meanwhile; not with `mode: 'reschedule'`. Default: true. */
  readonly allowDelete?: boolean;
}

/** Waits until there are enough objects under a prefix, and none was written for a while. Its result is their names. */
export class GCSUploadSessionCompleteSensor extends GCSSensor<readonly string[], GCSUploadSessionCompleteArgs> {
  private seenBefore: readonly string[] = [];

  constructor(options: OperatorOptions & SensorOptions & TemplatedArgs<GCSUploadSessionCompleteArgs>) {
    super(options);
    if (options.allowDelete === false && options.mode === 'reschedule') {
      const reason = 'a rescheduled sensor remembers nothing, so it cannot see deletions. Take mode "defer"';
      throw new InvalidOptionError(`Task "${this.taskId}"`, 'allowDelete', reason);
    }
  }

  async poke(context: TriggerContext): Promise<PokeResult<readonly string[]>> {
    const { bucket, prefix } = this.args;
    const objects = await this.hook(context).listObjects(bucket, { prefix });
    const isDone = isUploadComplete(objects, this.rules(), context.now(), this.seenBefore);
    this.seenBefore = objects.map(({ name }) => name);
    return { isDone, xcom: this.seenBefore };
  }

  /** Only deletions need a memory, and so a trigger that keeps one. */
  protected override waitTrigger(context: TriggerContext, before: ChecksBefore): BaseTrigger<any, any> {
    const { bucket, prefix, gcpConnId = 'google_cloud_default', impersonationChain, pokeInterval = '60s' } = this.args;
    const rules = this.rules();
    if (rules.allowDelete) return super.waitTrigger(context, before);
    return new GCSUploadSessionCompleteTrigger({
      bucket,
      prefix,
      rules,
      pollInterval: pokeInterval,
      gcpConnId,
      seenBefore: this.seenBefore,
      ...(impersonationChain === undefined ? {} : { impersonationChain }),
    });
  }

  private rules(): UploadSessionRules {
    const { inactivityPeriod = '1h', minObjects = 1, allowDelete = true } = this.args;
    return { inactivityMs: durationMs(inactivityPeriod), minObjects, allowDelete };
  }
}
