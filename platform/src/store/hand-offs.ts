import type { CallbackHandOff, LogStream, TaskHandOff, XComQuery, XComValue } from '@windhover/core';
import type { RequestedAction } from '../task-instances/task-instance-row.ts';
import type { Queryable } from './database.ts';
import type { StoredXCom } from './xcoms.ts';

// What a worker asks and writes. Each statement names the hand-off it belongs to and finds no row if that is old, so
// that nobody has to ask beforehand.

export async function isHeld(client: Queryable, handOff: TaskHandOff | CallbackHandOff): Promise<boolean> {
  const [holder, values] = holderOf(handOff);
  const { rowCount } = await client.query(`select 1 from ${holder}`, values);
  return rowCount === 1;
}

/** What the task was asked to do; `stale` if the hand-off is old. */
export async function getRequestedAction(
  client: Queryable,
  { taskInstanceId, epoch }: TaskHandOff,
): Promise<RequestedAction | 'stale' | null> {
  const { rows } = await client.query<{ requestedAction: RequestedAction | null }>(
    'select requested_action as "requestedAction" from task_instance where id = $1 and epoch = $2',
    [taskInstanceId, epoch],
  );
  return rows[0] ? rows[0].requestedAction : 'stale';
}

/** The same for many, whoever holds them. */
export async function getRequestedActions(
  client: Queryable,
  ids: readonly number[],
): Promise<{ readonly id: number; readonly epoch: number; readonly requestedAction: RequestedAction | null }[]> {
  const { rows } = await client.query(
    'select id, epoch, requested_action as "requestedAction" from task_instance where id = any($1)',
    [ids],
  );
  return rows;
}

/** Tasks of the same run by id; null if the hand-off is old. */
export async function getSiblings(
  client: Queryable,
  { taskInstanceId, epoch }: TaskHandOff,
  taskIds: readonly string[],
): Promise<{ readonly id: number; readonly epoch: number }[] | null> {
  const { rows } = await client.query<{ id: number | null; epoch: number }>(
    `select s.id, s.epoch from task_instance t
       left join task_instance s on s.dag_run_id = t.dag_run_id and s.task_id = any($3)
      where t.id = $1 and t.epoch = $2`,
    [taskInstanceId, epoch, taskIds],
  );
  return rows.length === 0 ? null : rows.flatMap(({ id, epoch: held }) => (id === null ? [] : [{ id, epoch: held }]));
}

/** An XCom of the holder's own run, unless the query names another; null if the hand-off is old. */
export async function getHeldXCom(
  client: Queryable,
  handOff: TaskHandOff | CallbackHandOff,
  { dagId, runId, taskId, mapIndex, key }: XComQuery,
): Promise<(StoredXCom & { readonly isFound: boolean }) | null> {
  const [holder, values] = holderOf(handOff);
  const { rows } = await client.query<StoredXCom & { isFound: boolean }>(
    `select x.value, x.reference, x.key is not null as "isFound"
       from (select h.dag_run_id from ${holder}) h join dag_run own on own.id = h.dag_run_id
       left join dag_run r on r.dag_id = coalesce($3, own.dag_id) and r.run_id = coalesce($4, own.run_id)
       left join xcom x on x.dag_run_id = r.id and x.task_id = $5 and x.map_index = $6 and x.key = $7`,
    [...values, dagId ?? null, runId ?? null, taskId, mapIndex, key],
  );
  return rows[0] ?? null;
}

/**
 * Answers false if the hand-off is old. `for share`: a clear that is under way is waited for, and then its epoch is
 * seen; otherwise the XCom would outlive the attempt that was cleared.
 */
export async function putHeldXCom(
  client: Queryable,
  { taskInstanceId, epoch }: TaskHandOff,
  key: string,
  value: Exclude<XComValue, { type: 'none' }>,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into xcom (dag_run_id, task_id, map_index, attempt, key, value, reference)
     select t.dag_run_id, t.task_id, t.map_index, t.attempt, $3, $4, $5
       from task_instance t where t.id = $1 and t.epoch = $2 for share
     on conflict (dag_run_id, task_id, map_index, key) do update
        set attempt = excluded.attempt, value = excluded.value, reference = excluded.reference, created_at = now()`,
    [
      taskInstanceId,
      epoch,
      key,
      value.type === 'value' ? JSON.stringify(value.value) : null,
      value.type === 'reference' ? JSON.stringify(value.reference) : null,
    ],
  );
  return rowCount === 1;
}

/** The log of the attempt that the hand-off belongs, or belonged, to; null where it left no trace. */
export async function getTaskLog(
  client: Queryable,
  { taskInstanceId, epoch }: TaskHandOff,
): Promise<Extract<LogStream, { type: 'task' }> | null> {
  const { rows } = await client.query<Extract<LogStream, { type: 'task' }>>(
    `select 'task' as type, r.dag_id as "dagId", r.run_id as "runId", t.task_id as "taskId", t.map_index as "mapIndex",
            a.attempt
       from task_instance t join dag_run r on r.id = t.dag_run_id
       cross join lateral (
         select t.attempt where t.epoch = $2
         union all
         select h.attempt from task_attempt h where h.task_instance_id = t.id and h.epoch = $2 limit 1) a
      where t.id = $1`,
    [taskInstanceId, epoch],
  );
  return rows[0] ?? null;
}

/** The row `h` that must be there while the hand-off is held; its values are $1 and $2. */
function holderOf(handOff: TaskHandOff | CallbackHandOff): [holder: string, values: unknown[]] {
  return 'callbackId' in handOff
    ? ['callback_outbox h where h.id = $1 and h.state = $2', [handOff.callbackId, 'running']]
    : ['task_instance h where h.id = $1 and h.epoch = $2', [handOff.taskInstanceId, handOff.epoch]];
}
