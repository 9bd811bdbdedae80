import { BaseTrigger, TriggerEvent } from '../../../src/index.ts';
import type { AcmeHook } from '../acme.ts';

// error: a function does not survive storage
export class HookAsKwarg extends BaseTrigger<string, { hook: AcmeHook }> {
  async *run() {
    yield new TriggerEvent('done');
  }
}
