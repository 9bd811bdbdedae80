import { sharedInProcess } from '../brand.ts';
import type { BaseOperator } from '../operator/base-operator.ts';
import type { OperatorOptions } from '../operator/operator-options.ts';
import { DagDefinitionError } from './dag-definition-error.ts';
import type { Endpoint } from './edges.ts';
import { assertId } from './invalid-id-error.ts';

/** What an operator knows of its DAG. An interface, so that a DAG of another copy of core fits too. */
export interface TaskOwner {
  readonly dagId: string;
  readonly tasks: ReadonlyMap<string, BaseOperator<any, any>>;
  readonly groups: ReadonlyMap<string, Endpoint>;
}

/** The DAG or task group whose body is being called. */
export interface DagScope {
  /** Registers an operator and answers its full id. */
  add(
    operator: BaseOperator<any, any>,
    taskId: string,
  ): { owner: TaskOwner; taskId: string; defaults: Partial<OperatorOptions> };
}

interface Shared {
  /** The innermost last. */
  readonly scopes: DagScope[];
  /** All DAGs made in this process since the last `takeDagsMade`. */
  dagsMade: unknown[];
}

/** An operator from a provider with its own copy of core belongs to the DAG all the same. */
const shared = sharedInProcess('dagStack.1', (): Shared => ({ scopes: [], dagsMade: [] }));

export function addToCurrentDag(
  operator: BaseOperator<any, any>,
  taskId: string,
): { owner: TaskOwner | undefined; taskId: string; defaults: Partial<OperatorOptions> } {
  assertId('task', taskId);
  return currentScope()?.add(operator, taskId) ?? { owner: undefined, taskId, defaults: {} };
}

export function currentScope(): DagScope | undefined {
  return shared.scopes.at(-1);
}

/** Calls `body` with `scope` as the current one. The body must be synchronous. */
export function within<T>(scope: DagScope, body: () => T): T {
  shared.scopes.push(scope);
  try {
    return body();
  } finally {
    shared.scopes.pop();
  }
}

/** What an async body makes after its first `await` would belong to no DAG. */
export function refuseAsync(subject: string, answer: unknown): void {
  if (!(answer instanceof Promise)) return;
  answer.catch(() => {});
  throw new DagDefinitionError(
    `The body of ${subject} is async. Describe it synchronously; let its tasks do what waits.`,
  );
}

export function rememberDag(dag: unknown): void {
  shared.dagsMade.push(dag);
}

/** All DAGs made since the last call: whoever loads a DAG file finds those that were not exported. */
export function takeDagsMade(): unknown[] {
  const made = shared.dagsMade;
  shared.dagsMade = [];
  return made;
}
