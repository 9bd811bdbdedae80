import { BaseOperator, eq, type Json, type Predicate, template } from '../../../src/index.ts';

// Json is a type that refers to itself: the compiler must not follow it without end, and templates fit into it anywhere.
interface AskArgs {
  readonly body?: Json;
  readonly conf: Readonly<Record<string, Json>>;
  readonly until: Predicate;
  readonly anything: unknown;
}

export class AskOperator extends BaseOperator<Json, AskArgs> {
  async execute(): Promise<Json> {
    return this.args.body ?? this.args.conf;
  }
}

export const plain = new AskOperator({
  taskId: 'a',
  conf: { region: 'north' },
  until: eq('status', 'done'),
  anything: 1,
});
export const templated = new AskOperator({
  taskId: 'b',
  body: { month: template(({ logicalDate }) => logicalDate.getMonth()), rows: [1, plain.output] },
  conf: { region: template(() => 'north') },
  until: template(() => eq('status', 'done')),
  anything: new Map(),
});
