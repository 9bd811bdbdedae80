import { BaseOperator, type Context, type TriggerEvent } from '../../../src/index.ts';
import { type AcmeEvent, acmeTrigger } from '../acme.ts';

export class KwargsWrong extends BaseOperator<string> {
  execute(): string {
    // error: Type 'number' is not assignable to type 'string'
    this.defer({ trigger: acmeTrigger, resume: this.executeComplete, kwargs: { jobId: 7 } });
  }

  executeComplete(_context: Context, _event: TriggerEvent<AcmeEvent>, kwargs: { jobId: string }): string {
    return kwargs.jobId;
  }
}
