import { BaseTrigger, TriggerEvent } from '../../../src/index.ts';

// error: a function does not survive storage
export class FunctionAsKwarg extends BaseTrigger<string, { isDone: (status: string) => boolean }> {
  async *run() {
    yield new TriggerEvent('done');
  }
}
