import type { BaseOperator } from '../operator/base-operator.ts';
import { DagDefinitionError } from './dag-definition-error.ts';

/** What edges can begin and end at: a task, a task group, or several of them. */
export type Connectable = Endpoint | readonly Endpoint[];

/** A task stands for itself; a group for its first (roots) and last (leaves) tasks. */
export interface Endpoint {
  readonly roots: readonly BaseOperator<any, any>[];
  readonly leaves: readonly BaseOperator<any, any>[];
}

/** Everything in `upstream` runs before everything in `downstream`. Saying it twice does no harm. */
export function connect(upstream: Connectable, downstream: Connectable): void {
  for (const from of endpoints(upstream).flatMap(({ leaves }) => leaves)) {
    for (const to of endpoints(downstream).flatMap(({ roots }) => roots)) connectTasks(from, to);
  }
}

/**
 * `chain(a, [b, c], d)`: a before b and c, both before d. Two lists side by side are joined pair by pair and must be
 * equally long.
 */
export function chain(...elements: Connectable[]): void {
  for (const [index, downstream] of elements.entries()) {
    const upstream = elements[index - 1];
    if (upstream === undefined) continue;
    if (!isList(upstream) || !isList(downstream)) {
      connect(upstream, downstream);
      continue;
    }
    if (upstream.length !== downstream.length) {
      throw new DagDefinitionError(
        `chain() joins neighbouring lists pair by pair, but element ${index} has ${upstream.length} and element ` +
          `${index + 1} has ${downstream.length} tasks. Put a single task between them, or use before().`,
      );
    }
    for (const [pair, from] of upstream.entries()) connect(from, downstream[pair]!);
  }
}

function connectTasks(from: BaseOperator<any, any>, to: BaseOperator<any, any>): void {
  if (from.owner !== to.owner) {
    throw new DagDefinitionError(
      `Cannot put "${from.taskId}" (${ownerName(from)}) before "${to.taskId}" (${ownerName(to)}): they are not in the ` +
        'same DAG. To wait for another DAG, use ExternalTaskSensor, or a signal.',
    );
  }
  from.downstreamTaskIds.add(to.taskId);
  to.upstreamTaskIds.add(from.taskId);
}

function ownerName(task: BaseOperator<any, any>): string {
  return task.owner ? `DAG ${task.owner.dagId}` : 'outside of any DAG';
}

function endpoints(connectable: Connectable): readonly Endpoint[] {
  return isList(connectable) ? connectable : [connectable];
}

function isList(connectable: Connectable): connectable is readonly Endpoint[] {
  return Array.isArray(connectable);
}
