import { BaseTrigger, type Duration, TriggerEvent, type TriggerScope } from '@windhover/core';
import { GCSHook } from './gcs-hook.ts';
import { isUploadComplete, type UploadSessionRules } from './upload-session.ts';

export interface GCSUploadSessionCompleteKwargs {
  readonly bucket: string;
  readonly prefix: string;
  readonly rules: UploadSessionRules;
  readonly pollInterval: Duration;
  readonly gcpConnId: string;
  /** Default: the connection's. */
  readonly impersonationChain?: string | readonly string[];
  /** What a look on the worker has seen. */
  readonly seenBefore: readonly string[];
}

/** Waits for the end of uploads where a deletion is an error: what it saw last survives a restart. Yields the names. */
export class GCSUploadSessionCompleteTrigger extends BaseTrigger<readonly string[], GCSUploadSessionCompleteKwargs> {
  static override readonly classpath = '@windhover/provider-google/gcs#GCSUploadSessionCompleteTrigger';

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<readonly string[]>> {
    const { bucket, prefix, rules, pollInterval, gcpConnId, impersonationChain } = this.kwargs;
    const hook = new GCSHook(scope, gcpConnId, { impersonationChain });
    const found = await scope.poll(
      async () => {
        const seenBefore = scope.checkpoint.load<readonly string[]>() ?? this.kwargs.seenBefore;
        const objects = await hook.listObjects(bucket, { prefix });
        const names = objects.map(({ name }) => name);
        if (isUploadComplete(objects, rules, scope.now(), seenBefore)) return names;
        await scope.checkpoint.save(names);
        return undefined;
      },
      { interval: pollInterval },
    );
    yield new TriggerEvent(found);
  }
}
