import { BaseTrigger, TriggerEvent } from '../../../src/index.ts';

export class WrongPayload extends BaseTrigger<{ rows: number }, { jobId: string }> {
  // error: Property 'rows' is missing in type '{ status: string; }'
  async *run() {
    yield new TriggerEvent({ status: 'done' });
  }
}
