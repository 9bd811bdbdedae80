import { JobTrigger, TriggerEvent } from '../../../src/index.ts';

// error: does not implement inherited abstract member cancel
export class NoCancel extends JobTrigger<string, string, { handle: string }> {
  async *run() {
    yield new TriggerEvent('done');
  }
}
