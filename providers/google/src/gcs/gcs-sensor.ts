import { BaseSensor, type TriggerContext } from '@windhover/core';
import { GCSHook } from './gcs-hook.ts';

/** What every sensor takes that looks into a bucket. */
export interface GCSArgs {
  readonly bucket: string;
  /** Default: `google_cloud_default`. */
  readonly gcpConnId?: string;
  /** The accounts to act as, the last one in the end. Default: the connection's. */
  readonly impersonationChain?: string | readonly string[];
}

/** Looks into one bucket; subclasses say what for. */
export abstract class GCSSensor<Result, Args extends GCSArgs> extends BaseSensor<Result, Args> {
  protected hook(context: TriggerContext): GCSHook {
    const { gcpConnId, impersonationChain } = this.args as GCSArgs;
    return new GCSHook(context, gcpConnId, { impersonationChain });
  }
}
