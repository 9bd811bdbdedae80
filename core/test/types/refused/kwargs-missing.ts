import { BaseOperator, type Context, type TriggerEvent } from '../../../src/index.ts';
import { type AcmeEvent, acmeTrigger } from '../acme.ts';

export class KwargsMissing extends BaseOperator<string> {
  execute(): string {
    // error: Property 'kwargs' is missing
    this.defer({ trigger: acmeTrigger, resume: this.executeComplete });
  }

  executeComplete(_context: Context, _event: TriggerEvent<AcmeEvent>, kwargs: { jobId: string }): string {
    return kwargs.jobId;
  }
}
