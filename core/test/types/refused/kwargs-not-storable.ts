import { BaseOperator, type Context, type TriggerEvent } from '../../../src/index.ts';
import { type AcmeEvent, acmeTrigger } from '../acme.ts';

export class KwargsNotStorable extends BaseOperator<string> {
  execute(): string {
    // error: a function does not survive storage
    this.defer({ trigger: acmeTrigger, resume: this.executeComplete, kwargs: { done: () => 'yes' } });
  }

  executeComplete(_context: Context, _event: TriggerEvent<AcmeEvent>, kwargs: { done: () => string }): string {
    return kwargs.done();
  }
}
