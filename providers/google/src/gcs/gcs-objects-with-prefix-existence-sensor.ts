import type { PokeResult, TriggerContext } from '@windhover/core';
import { type GCSArgs, GCSSensor } from './gcs-sensor.ts';

export interface GCSObjectsWithPrefixArgs extends GCSArgs {
  readonly prefix: string;
}

/** Waits until there are objects whose names begin so. Its result is their names. */
export class GCSObjectsWithPrefixExistenceSensor extends GCSSensor<readonly string[], GCSObjectsWithPrefixArgs> {
  async poke(context: TriggerContext): Promise<PokeResult<readonly string[]>> {
    const { bucket, prefix } = this.args;
    const found = await this.hook(context).listObjects(bucket, { prefix });
    return { isDone: found.length > 0, xcom: found.map(({ name }) => name) };
  }
}
