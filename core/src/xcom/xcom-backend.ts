import type { Json } from '../json.ts';
import type { TaskInstanceKey } from '../task-instance/task-instance-key.ts';

export interface XComKey extends TaskInstanceKey {
  /** `return_value` for what a task returns. */
  readonly key: string;
}

/**
 * Keeps XCom values that are too large for the database, on the worker side. The platform's row then holds the
 * reference that `store` answers. Chosen in `windhover.config.ts` by classpath.
 */
export interface XComBackend {
  /** Keeps a serialized value and answers what to write into the row. Storing the same key and attempt again replaces it. */
  store(key: XComKey, attempt: number, value: Json): Promise<Json>;
  /** The value behind a reference, equal to what was stored. Rejects for a reference that is gone. */
  load(reference: Json): Promise<Json>;
  /** Nothing happens if it is gone already. */
  remove(reference: Json): Promise<void>;
  /** When its worker stops. Default: nothing. */
  close?(): Promise<void>;
}

/** The key under which a task's result is kept. */
export const RETURN_VALUE = 'return_value';
