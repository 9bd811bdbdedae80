import type { PokeResult, TriggerContext } from '@windhover/core';
import { type GCSArgs, GCSSensor } from './gcs-sensor.ts';

export interface GCSObjectExistenceArgs extends GCSArgs {
  readonly object: string;
  /** Takes `object` for a pattern: `*` inside a folder, `**` over folders. Default: false. */
  readonly useGlob?: boolean;
}

/** Waits until an object exists, or one that matches. Its result is the names found. */
export class GCSObjectExistenceSensor extends GCSSensor<readonly string[], GCSObjectExistenceArgs> {
  async poke(context: TriggerContext): Promise<PokeResult<readonly string[]>> {
    const { bucket, object, useGlob = false } = this.args;
    const hook = this.hook(context);
    const found = useGlob
      ? await hook.listObjects(bucket, { matchGlob: object })
      : [(await hook.getObject(bucket, object)) ?? []].flat();
    return { isDone: found.length > 0, xcom: found.map(({ name }) => name) };
  }
}
