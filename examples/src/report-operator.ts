import { BaseOperator, type Context, JobTrigger, TriggerEvent, type TriggerScope } from '@windhover/core';

export class ReportTrigger extends JobTrigger<string, { url: string }, { handle: string; api: string }> {
  static override readonly classpath = 'project:src/report-operator.ts#ReportTrigger';

  async *run(scope: TriggerScope) {
    const report = `${this.kwargs.api}/reports/${this.kwargs.handle}`;
    const url = await scope.poll(async () => JSON.parse(await call(report)).url as string | undefined, {
      interval: '60s',
    });
    yield new TriggerEvent({ url });
  }

  async cancel(handle: string) {
    await call(`${this.kwargs.api}/reports/${handle}`, 'DELETE');
  }
}

export class ReportOperator extends BaseOperator<string, { api: string; month: string }> {
  async execute(context: Context): Promise<string> {
    const { api, month } = this.args; // `step` stores the handle: neither resume nor retry pays twice
    const handle = await context.step('submit', () => call(`${api}/reports?month=${month}`, 'POST'));
    this.defer({ trigger: new ReportTrigger({ handle, api }), resume: this.executeComplete });
  }

  executeComplete(_context: Context, event: TriggerEvent<{ url: string }>): string {
    return event.payload.url;
  }
}

async function call(url: string, method = 'GET'): Promise<string> {
  const answer = await fetch(url, { method });
  if (!answer.ok) throw Object.assign(new Error(`${method} ${url}: ${answer.status}`), { status: answer.status });
  return answer.text();
}
