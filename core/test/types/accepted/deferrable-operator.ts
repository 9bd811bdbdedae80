import { BaseOperator, type Context, type TriggerEvent, template } from '../../../src/index.ts';
import { type AcmeEvent, acmeTrigger } from '../acme.ts';

export class AcmeOperator extends BaseOperator<number, { query: string; tags?: readonly string[] }> {
  async execute(context: Context): Promise<number> {
    const jobId = await context.step('submit', async () => `job of ${this.args.query}`);
    this.defer({ trigger: acmeTrigger, resume: this.executeComplete, kwargs: { jobId }, timeout: '8h' });
  }

  async executeComplete(_context: Context, event: TriggerEvent<AcmeEvent>, kwargs: { jobId: string }) {
    if (event.payload.status === 'failed') this.defer({ trigger: acmeTrigger, resume: this.again });
    if (kwargs.jobId === '') this.defer({ trigger: acmeTrigger, resume: this.wide, kwargs: {} });
    this.defer({ trigger: acmeTrigger, methodName: 'again' });
    return 1;
  }

  /** No kwargs, and an event type that is wider than the trigger's. */
  again(_context: Context, _event: TriggerEvent<{ status: string }>): number {
    return 2;
  }

  async wide(_context: Context, event: TriggerEvent<unknown>, kwargs: { optional?: string }): Promise<number> {
    return String(event.payload).length + (kwargs.optional?.length ?? 0);
  }
}

export const given = new AcmeOperator({ taskId: 'acme', query: 'select 1', retries: 2, retryDelay: '30s' });
export const templated = new AcmeOperator({
  taskId: 'acme',
  query: template(({ logicalDate }) => logicalDate.toISOString()),
  tags: ['a', template(() => 'b')],
});
