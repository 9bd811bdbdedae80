import { BaseBranchOperator, type BranchChoice, type Context } from '@windhover/core';

export interface BranchArgs {
  /** Ids of tasks or groups directly below; null skips them all. */
  readonly choose: (context: Context) => BranchChoice | Promise<BranchChoice>;
}

/**
 * Chooses which of the tasks below it run; the others are skipped. With inputs of other tasks, use `branch` of core.
 *
 * ```ts
 * new BranchOperator({ taskId: 'which', choose: ({ params }) => (params.full ? 'full' : 'delta') }).before([full, delta]);
 * ```
 */
export class BranchOperator extends BaseBranchOperator<BranchArgs> {
  chooseBranch(context: Context) {
    return this.args.choose(context);
  }
}
