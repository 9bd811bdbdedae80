import { brandPrototype, hasBrand } from '../brand.ts';
import type { BaseOperator } from '../operator/base-operator.ts';
import { Template } from '../template/template.ts';

/** The result of a task as an argument of another one. Using it makes the edge between them. */
export class Output<T> extends Template<T> {
  readonly operator: BaseOperator<any, any>;

  static {
    brandPrototype(Output.prototype, 'Output');
  }

  constructor(operator: BaseOperator<any, any>) {
    super((context) => context.xcom.pull(operator.taskId) as Promise<T>);
    this.operator = operator;
  }

  static override isInstance(value: unknown): value is Output<unknown> {
    return hasBrand(value, 'Output');
  }
}
