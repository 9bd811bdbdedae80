import type { PokeResult, TriggerContext } from '@windhover/core';
import { type GCSArgs, GCSSensor } from './gcs-sensor.ts';

export interface GCSObjectUpdateArgs extends GCSArgs {
  readonly object: string;
  /** The instant after which it must have been written. Default: the end of the run's data interval. */
  readonly tsFunc?: (context: TriggerContext) => Date;
}

/** Waits until an object was written after an instant. Its result is when that was. */
export class GCSObjectUpdateSensor extends GCSSensor<Date, GCSObjectUpdateArgs> {
  async poke(context: TriggerContext): Promise<PokeResult<Date>> {
    const { bucket, object, tsFunc } = this.args;
    const found = await this.hook(context).getObject(bucket, object);
    if (!found) return { isDone: false };
    const after = tsFunc?.(context) ?? context.dataInterval.end;
    return { isDone: found.updatedAt > after, xcom: found.updatedAt };
  }
}
