import type { Context } from '../context/context.ts';
import { BaseOperator } from '../operator/base-operator.ts';
import type { Rendered } from '../template/template.ts';
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
    const chosen = withGroups(this.owner, toList(await this.chooseBranch(context)));
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

type Choose<Inputs> = (context: Context, inputs: Inputs) => BranchChoice | Promise<BranchChoice>;
type Test<Inputs> = (context: Context, inputs: Inputs) => boolean | Promise<boolean>;

class BranchFunctionOperator extends BaseBranchOperator<{ choose: Choose<any>; inputs?: any }> {
  chooseBranch(context: Context) {
    return this.args.choose(context, this.args.inputs);
  }
}

class ShortCircuitFunctionOperator extends BaseShortCircuitOperator<{ test: Test<any>; inputs?: any }> {
  check(context: Context) {
    return this.args.test(context, this.args.inputs);
  }
}

/** ```ts branch('which', ({ params }) => (params.full ? 'full_load' : 'delta_load')).before([full, delta]); ``` */
export function branch<Inputs = undefined>(
  taskId: string,
  choose: Choose<Rendered<Inputs>>,
  options: TaskOptions & { readonly inputs?: Inputs } = {},
): BaseBranchOperator<any> {
  return new BranchFunctionOperator({ ...options, taskId, choose });
}

/** ```ts shortCircuit('any', (_context, { count }) => count > 0, { inputs: { count: count.output } }).before(load); ``` */
export function shortCircuit<Inputs = undefined>(
  taskId: string,
  test: Test<Rendered<Inputs>>,
  options: TaskOptions & { readonly inputs?: Inputs } = {},
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

/** A group stands for its first tasks. */
function withGroups(owner: TaskOwner | undefined, chosen: readonly string[]): readonly string[] {
  return chosen.flatMap((id) => owner?.groups.get(id)?.roots.map(({ taskId }) => taskId) ?? [id]);
}

function toList(choice: BranchChoice): readonly string[] {
  return choice === null ? [] : typeof choice === 'string' ? [choice] : choice;
}
