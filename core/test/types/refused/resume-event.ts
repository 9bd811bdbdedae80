import { BaseOperator, type Context, type TriggerEvent } from '../../../src/index.ts';
import { acmeTrigger } from '../acme.ts';

export class ResumeWithAnotherEvent extends BaseOperator<number> {
  execute(): number {
    // error: Property 'rows' is missing in type 'AcmeEvent'
    this.defer({ trigger: acmeTrigger, resume: this.executeComplete });
  }

  executeComplete(_context: Context, event: TriggerEvent<{ rows: number }>): number {
    return event.payload.rows;
  }
}
