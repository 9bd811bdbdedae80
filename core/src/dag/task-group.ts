import { brandPrototype, hasBrand } from '../brand.ts';
import type { BaseOperator } from '../operator/base-operator.ts';
import { Dag } from './dag.ts';
import { DagDefinitionError } from './dag-definition-error.ts';
import { currentScope, type DagScope, refuseAsync, within } from './dag-stack.ts';
import { DuplicateTaskIdError } from './duplicate-task-id-error.ts';
import { type Connectable, connect, type Endpoint } from './edges.ts';
import { assertId } from './invalid-id-error.ts';

/** Tasks that are drawn together; their ids begin with the group's. Edges to a group reach its first and last tasks. */
export class TaskGroup implements DagScope, Endpoint {
  /** With the ids of its parents: `extract.files`. */
  readonly groupId: string;
  readonly dag: Dag;
  readonly parent: TaskGroup | undefined;
  readonly members: BaseOperator<any, any>[] = [];

  static {
    brandPrototype(TaskGroup.prototype, 'TaskGroup');
  }

  constructor(groupId: string, dag: Dag, parent: TaskGroup | undefined) {
    assertId('task group', groupId);
    this.groupId = parent ? `${parent.groupId}.${groupId}` : groupId;
    this.dag = dag;
    this.parent = parent;
    if (dag.groups.has(this.groupId) || dag.tasks.has(this.groupId))
      throw new DuplicateTaskIdError(dag.dagId, this.groupId, 'task groups, or a task and a group,');
    dag.groups.set(this.groupId, this);
  }

  static isInstance(value: unknown): value is TaskGroup {
    return hasBrand(value, 'TaskGroup');
  }

  add(operator: BaseOperator<any, any>, taskId: string): ReturnType<DagScope['add']> {
    const added = this.dag.add(operator, `${this.groupId}.${taskId}`);
    this.dag.groupOfTask.set(added.taskId, this);
    for (let group: TaskGroup | undefined = this; group; group = group.parent) group.members.push(operator);
    return added;
  }

  /** Tasks without an upstream task in the group. */
  get roots(): readonly BaseOperator<any, any>[] {
    const ids = new Set(this.members.map(({ taskId }) => taskId));
    return this.members.filter(({ upstreamTaskIds }) => ids.isDisjointFrom(upstreamTaskIds));
  }

  /** Tasks without a downstream task in the group. */
  get leaves(): readonly BaseOperator<any, any>[] {
    const ids = new Set(this.members.map(({ taskId }) => taskId));
    return this.members.filter(({ downstreamTaskIds }) => ids.isDisjointFrom(downstreamTaskIds));
  }

  before<T extends Connectable>(other: T): T {
    connect(this, other);
    return other;
  }

  after<T extends Connectable>(other: T): T {
    connect(other, this);
    return other;
  }
}

/**
 * ```ts
 * const extract = taskGroup('extract', () => {
 *   task('orders', loadOrders);   // its id is extract.orders
 * });
 * extract.before(report);
 * ```
 */
export function taskGroup(groupId: string, body: () => void): TaskGroup {
  const scope = currentScope();
  const [dag, parent] = TaskGroup.isInstance(scope) ? [scope.dag, scope] : [scope, undefined];
  if (!Dag.isInstance(dag))
    throw new DagDefinitionError(`Task group "${groupId}" is made outside of dag(). Move it into the body of a DAG.`);
  const group = new TaskGroup(groupId, dag, parent);
  refuseAsync(`task group "${groupId}"`, within(group, body));
  return group;
}
