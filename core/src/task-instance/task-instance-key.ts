/** Names a task instance for people and between packages. Rows have numbers of their own. */
export interface TaskInstanceKey {
  readonly dagId: string;
  readonly runId: string;
  readonly taskId: string;
  /** −1 where the task is not mapped. */
  readonly mapIndex: number;
}

/** `daily / scheduled__2026-01-01T00:00:00.000Z / load`, with `[3]` behind it for a mapped one. */
export function formatTaskInstanceKey(key: TaskInstanceKey): string {
  return `${key.dagId} / ${key.runId} / ${key.taskId}${key.mapIndex >= 0 ? `[${key.mapIndex}]` : ''}`;
}
