import { BaseTrigger, TriggerEvent } from '../../../src/index.ts';

interface Client {
  url: string;
  get(path: string): Promise<string>;
}

// error: a function does not survive storage
export class ClientAsKwarg extends BaseTrigger<string, { nested: { client: Client }[] }> {
  async *run() {
    yield new TriggerEvent('done');
  }
}
