import { DEFAULT_NAMESPACE } from '../signal/signal.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';
import { Dag } from './dag.ts';
import { DagDefinitionError } from './dag-definition-error.ts';
import { currentScope } from './dag-stack.ts';

/** A trigger of a DAG, not of a task: each of its events becomes a signal. */
export interface Watcher {
  readonly trigger: BaseTrigger<any, any>;
  readonly signal: string;
  readonly namespace: string;
  readonly queue: string;
}

export interface WatchOptions {
  /** The key of the signals it sends; one watcher for each in a DAG. */
  readonly signal: string;
  /** Default: `default`. */
  readonly namespace?: string;
  /** Which triggerers run it. Default: `default`. */
  readonly queue?: string;
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
export function watch(trigger: BaseTrigger<any, any>, options: WatchOptions): void {
  const dag = currentScope();
  if (!Dag.isInstance(dag)) {
    throw new DagDefinitionError(
      `watch(${trigger.constructor.name}) belongs directly into the body of dag(), not into a task group or outside.`,
    );
  }
  const { signal, namespace = DEFAULT_NAMESPACE, queue = 'default' } = options;
  if (dag.watchers.some((other) => other.signal === signal && other.namespace === namespace)) {
    throw new DagDefinitionError(
      `DAG "${dag.dagId}" has two watchers for the signal "${signal}". Give each a signal of its own.`,
    );
  }
  dag.watchers.push({ trigger, signal, namespace, queue });
}
