import type { Context } from '../context/context.ts';
import { BaseOperator } from '../operator/base-operator.ts';
import type { OperatorOptions } from '../operator/operator-options.ts';
import type { Rendered } from '../template/template.ts';

/** Runs a function. Made by `task()`. */
export class FunctionOperator<Result, Inputs = undefined> extends BaseOperator<
  Result,
  { fn: TaskFunction<Result, Inputs>; inputs: any }
> {
  async execute(context: Context): Promise<Result> {
    return this.args.fn(context, this.args.inputs);
  }
}

export type TaskFunction<Result, Inputs> = (context: Context, inputs: Inputs) => Result | Promise<Result>;

export interface TaskOptions extends Partial<Omit<OperatorOptions, 'taskId' | 'startFromTrigger'>> {}

/**
 * A function as a task. `inputs` may hold outputs of other tasks and templates at any depth; the function gets them as
 * plain values, with their types.
 *
 * ```ts
 * const total = task('total', async () => 42);
 * task('report', async (context, { total }) => context.log.info(`total: ${total}`), { inputs: { total: total.output } });
 * ```
 */
export function task<Result>(
  taskId: string,
  fn: TaskFunction<Result, undefined>,
  options?: TaskOptions & { readonly inputs?: undefined },
): FunctionOperator<Result>;
export function task<Result, Inputs>(
  taskId: string,
  fn: TaskFunction<Result, Rendered<Inputs>>,
  options: TaskOptions & { readonly inputs: Inputs },
): FunctionOperator<Result, Rendered<Inputs>>;
export function task<Result>(
  taskId: string,
  fn: TaskFunction<Result, any>,
  options: TaskOptions & { readonly inputs?: unknown } = {},
): FunctionOperator<Result, any> {
  return new FunctionOperator<Result, any>({ inputs: undefined, ...options, taskId, fn });
}
