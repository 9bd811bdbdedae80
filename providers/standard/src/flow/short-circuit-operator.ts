import { BaseShortCircuitOperator, type Context } from '@windhover/core';

export interface ShortCircuitArgs {
  readonly condition: (context: Context) => boolean | Promise<boolean>;
}

/** Skips all that comes after it when its condition is false. With inputs of other tasks, use `shortCircuit` of core. */
export class ShortCircuitOperator extends BaseShortCircuitOperator<ShortCircuitArgs> {
  check(context: Context) {
    return this.args.condition(context);
  }
}
