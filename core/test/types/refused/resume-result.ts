import { BaseOperator, type Context, type TriggerEvent } from '../../../src/index.ts';
import { type AcmeEvent, acmeTrigger } from '../acme.ts';

export class ResumeWithAnotherResult extends BaseOperator<number> {
  execute(): number {
    // error: is not assignable to type
    this.defer({ trigger: acmeTrigger, resume: this.executeComplete });
  }

  executeComplete(_context: Context, _event: TriggerEvent<AcmeEvent>): string {
    return 'not a number';
  }
}
