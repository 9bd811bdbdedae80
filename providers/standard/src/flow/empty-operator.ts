import { BaseOperator } from '@windhover/core';

/** Does nothing: a place in the graph where edges meet. */
export class EmptyOperator extends BaseOperator<void> {
  async execute(): Promise<void> {}
}
