import type { SerializedDag, SerializedTask } from '@windhover/core';
import type { Queryable } from '../store/database.ts';

/** A version of a DAG with what is asked of it again and again. Versions never change, so they are kept. */
export interface DagVersion {
  readonly id: number;
  readonly hash: string;
  readonly dag: SerializedDag;
  readonly tasks: ReadonlyMap<string, SerializedTask>;
  /** By task: the tasks directly below it. */
  readonly downstream: ReadonlyMap<string, readonly string[]>;
  /** By task: its weight with those its weight rule adds. */
  readonly weights: ReadonlyMap<string, number>;
}

export class DagVersions {
  readonly #known = new Map<number, DagVersion>();

  get(versionId: number): DagVersion | undefined {
    return this.#known.get(versionId);
  }

  /** Reads those that are not known yet. */
  async load(client: Queryable, versionIds: Iterable<number>): Promise<void> {
    const missing = [...new Set(versionIds)].filter((id) => !this.#known.has(id));
    if (missing.length === 0) return;
    const { rows } = await client.query<{ id: number; hash: string; serialized: SerializedDag }>(
      'select id, hash, serialized from dag_version where id = any($1)',
      [missing],
    );
    for (const { id, hash, serialized } of rows) this.#known.set(id, makeVersion(id, hash, serialized));
  }

  /** Versions are kept for as long as somebody may ask again; a long-lived process sees many. */
  forgetUnused(used: ReadonlySet<number>): void {
    if (this.#known.size < MANY_VERSIONS) return;
    for (const id of this.#known.keys()) if (!used.has(id)) this.#known.delete(id);
  }

  /** Where DAGs are now. */
  async filesOf(client: Queryable, dagIds: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    if (dagIds.size === 0) return new Map();
    const { rows } = await client.query<{ dagId: string; file: string }>(
      'select dag_id as "dagId", file from dag where dag_id = any($1)',
      [[...dagIds]],
    );
    return new Map(rows.map(({ dagId, file }) => [dagId, file]));
  }

  async getOrLoad(client: Queryable, versionId: number): Promise<DagVersion> {
    await this.load(client, [versionId]);
    return this.#known.get(versionId)!;
  }
}

const MANY_VERSIONS = 1_000;

export function makeVersion(id: number, hash: string, dag: SerializedDag): DagVersion {
  const tasks = new Map(dag.tasks.map((task) => [task.taskId, task]));
  const downstream = new Map<string, string[]>(dag.tasks.map(({ taskId }) => [taskId, []]));
  for (const { taskId, upstreamTaskIds } of dag.tasks)
    for (const upstream of upstreamTaskIds) downstream.get(upstream)?.push(taskId);
  return { id, hash, dag, tasks, downstream, weights: taskWeights(dag, tasks, downstream) };
}

function taskWeights(
  dag: SerializedDag,
  tasks: ReadonlyMap<string, SerializedTask>,
  downstream: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const upstream = new Map(dag.tasks.map(({ taskId, upstreamTaskIds }) => [taskId, upstreamTaskIds]));
  const sum = (taskId: string, next: ReadonlyMap<string, readonly string[]>) => {
    const reached = new Set([taskId]);
    // The set grows while it is read.
    for (const each of reached) for (const other of next.get(each) ?? []) reached.add(other);
    return [...reached].reduce((total, each) => total + (tasks.get(each)?.priorityWeight ?? 0), 0);
  };
  return new Map(
    dag.tasks.map(({ taskId, weightRule, priorityWeight }) => {
      if (weightRule === 'absolute') return [taskId, priorityWeight];
      // Quadratic in the worst case: for a very large DAG the own weight has to do.
      if (dag.tasks.length > 2000) return [taskId, priorityWeight];
      return [taskId, sum(taskId, weightRule === 'downstream' ? downstream : upstream)];
    }),
  );
}
