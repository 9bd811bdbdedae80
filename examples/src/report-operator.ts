import { BaseOperator, type Context, JobTrigger, TriggerEvent, type TriggerScope } from '@windhover/core';

export class ReportTrigger extends JobTrigger<string, { url: string }, { handle: string; api: string }> {
  static override readonly classpath = 'project:src/report-operator.ts#ReportTrigger';

  async *run(scope: TriggerScope) {
    const url = await scope.poll(() => this.#reportUrl(), { interval: '60s' });
    yield new TriggerEvent({ url });
  }

  async cancel(handle: string) {
    await fetch(`${this.kwargs.api}/reports/${handle}`, { method: 'DELETE' });
  }

  async #reportUrl(): Promise<string | undefined> {
    const answer = await fetch(`${this.kwargs.api}/reports/${this.kwargs.handle}`);
    return ((await answer.json()) as { url?: string }).url;
  }
}

export class ReportOperator extends BaseOperator<string, { api: string; month: string }> {
  async execute(context: Context): Promise<string> {
    const { api, month } = this.args;
    const submit = () => fetch(`${api}/reports?month=${month}`, { method: 'POST' }).then((answer) => answer.text());
    const handle = await context.step('submit', submit); // stored: neither resume nor retry pays twice
    this.defer({ trigger: new ReportTrigger({ handle, api }), resume: this.executeComplete });
  }

  executeComplete(_context: Context, event: TriggerEvent<{ url: string }>): string {
    return event.payload.url;
  }
}
