import { JobTrigger, TriggerEvent, type TriggerScope } from '../../../src/index.ts';

export class AcmeJobTrigger extends JobTrigger<string, { status: string }, { handle: string; connId: string }> {
  static override readonly classpath = 'acme#AcmeJobTrigger';

  async *run(scope: TriggerScope) {
    yield new TriggerEvent({ status: await scope.poll(async () => 'done', { interval: '5s' }) });
  }

  async cancel(handle: string) {
    handle.toUpperCase();
  }
}
