import type { Context } from '../context/context.ts';
import { BaseOperator } from '../operator/base-operator.ts';
import { DagDefinitionError } from './dag-definition-error.ts';
import type { TaskOwner } from './dag-stack.ts';
import type { TaskOptions } from './task.ts';

/** Chooses which of the tasks below it run; the others are skipped. */
export abstract class BaseBranchOperator<Args extends object = Record<never, never>> extends BaseOperator<
  readonly string[],
  Args
> {
  /** Ids of tasks directly below this one, with their groups. None skips them all. */
  abstract chooseBranch(context: Context): BranchChoice | Promise<BranchChoice>;

  async execute(context: Context): Promise<readonly string[]> {
    const chosen = toList(await this.chooseBranch(context));
    await context.skipDownstream(tasksToSkip(this, chosen));
    return chosen;
  }
}

export type BranchChoice = string | readonly string[] | null;

/** Skips all that comes after it when its check says no. */
export abstract class BaseShortCircuitOperator<Args extends object = Record<never, never>> extends BaseOperator<
  boolean,
  Args
> {
  abstract check(context: Context): boolean | Promise<boolean>;

  async execute(context: Context): Promise<boolean> {
    const goesOn = await this.check(context);
    if (!goesOn) await context.skipDownstream([...descendants(this.owner, this.downstreamTaskIds)]);
    return goesOn;
  }
}

class BranchFunctionOperator extends BaseBranchOperator<{
  choose: (context: Context) => BranchChoice | Promise<BranchChoice>;
}> {
  chooseBranch(context: Context) {
    return this.args.choose(context);
  }
}

class ShortCircuitFunctionOperator extends BaseShortCircuitOperator<{
  test: (context: Context) => boolean | Promise<boolean>;
}> {
  check(context: Context) {
    return this.args.test(context);
  }
}

/** ```ts branch('which', ({ params }) => (params.full ? 'full_load' : 'delta_load')).before([full, delta]); ``` */
export function branch(
  taskId: string,
  choose: (context: Context) => BranchChoice | Promise<BranchChoice>,
  options: TaskOptions = {},
): BaseBranchOperator<any> {
  return new BranchFunctionOperator({ ...options, taskId, choose });
}

/** ```ts shortCircuit('has_rows', async ({ xcom }) => (await xcom.pull('count')) > 0).before(load); ``` */
export function shortCircuit(
  taskId: string,
  test: (context: Context) => boolean | Promise<boolean>,
  options: TaskOptions = {},
): BaseShortCircuitOperator<any> {
  return new ShortCircuitFunctionOperator({ ...options, taskId, test });
}

/**
 * What a branch skips: the tasks directly below it that were not chosen, unless a chosen one leads to them. What comes
 * further below follows by the trigger rules.
 */
function tasksToSkip(operator: BaseOperator<any, any>, chosen: readonly string[]): string[] {
  const below = [...operator.downstreamTaskIds];
  const unknown = chosen.find((taskId) => !operator.downstreamTaskIds.has(taskId));
  if (unknown !== undefined) {
    throw new DagDefinitionError(
      `Branch "${operator.taskId}" chose "${unknown}", which is not directly below it. Directly below it: ${below.join(', ') || 'none'}.`,
    );
  }
  const kept = descendants(operator.owner, chosen);
  return below.filter((taskId) => !kept.has(taskId));
}

/** The given tasks and everything below them. */
function descendants(owner: TaskOwner | undefined, taskIds: Iterable<string>): ReadonlySet<string> {
  const found = new Set(taskIds);
  // The set grows while it is read.
  for (const taskId of found) for (const next of owner?.tasks.get(taskId)?.downstreamTaskIds ?? []) found.add(next);
  return found;
}

function toList(choice: BranchChoice): readonly string[] {
  return choice === null ? [] : typeof choice === 'string' ? [choice] : choice;
}
