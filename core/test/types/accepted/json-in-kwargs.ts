import { BaseTrigger, type Json, type Predicate, TriggerEvent } from '../../../src/index.ts';

// Json is a type that refers to itself, and so is Predicate: the compiler must not follow them without end.
interface AskKwargs {
  readonly body: Json;
  readonly until: Predicate;
  readonly headers?: Readonly<Record<string, Json>>;
}

export class AskTrigger extends BaseTrigger<Json, AskKwargs> {
  static override readonly classpath = 'acme#AskTrigger';

  async *run() {
    yield new TriggerEvent(this.kwargs.body);
  }
}
