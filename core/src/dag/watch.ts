import type { BaseTrigger } from '../trigger/base-trigger.ts';
import { Dag } from './dag.ts';
import { DagDefinitionError } from './dag-definition-error.ts';
import { currentScope } from './dag-stack.ts';

/** A trigger of a DAG, not of a task: each of its events becomes a signal. */
export interface Watcher {
  readonly trigger: BaseTrigger<any, any>;
  readonly signal: string;
}

/**
 * Turns each event of a trigger into a broadcast signal, so that outside events start DAG runs.
 *
 * ```ts
 * export const onOrder = dag('on_order', { startOn: [sufficient('order.placed')] }, () => {
 *   watch(new AcmeQueueTrigger({ queue: 'orders' }), { signal: 'order.placed' });
 *   task('handle', handleOrder);
 * });
 * ```
 */
export function watch(trigger: BaseTrigger<any, any>, options: { readonly signal: string }): void {
  const dag = currentScope();
  if (!Dag.isInstance(dag)) {
    throw new DagDefinitionError(
      `watch(${trigger.constructor.name}) belongs directly into the body of dag(), not into a task group or outside.`,
    );
  }
  dag.watchers.push({ trigger, signal: options.signal });
}
