import type { Json } from '../json.ts';
import { canonicalize } from '../serde/canonicalize.ts';
import type { XComBackend, XComKey } from '../xcom/xcom-backend.ts';

/** XCom values within one process. Pass the same map to a second one, and it stands for another worker. */
export class MemoryXComBackend implements XComBackend {
  /** As text, because a value that is kept must not change with its owner's object. */
  readonly #values: Map<string, string>;

  constructor(values = new Map<string, string>()) {
    this.#values = values;
  }

  async store(key: XComKey, attempt: number, value: Json): Promise<Json> {
    const { dagId, runId, taskId, mapIndex } = key;
    const reference = { memory: [dagId, runId, taskId, mapIndex, key.key, attempt] };
    this.#values.set(canonicalize(reference), JSON.stringify(value));
    return reference;
  }

  async load(reference: Json): Promise<Json> {
    const text = this.#values.get(canonicalize(reference));
    if (text === undefined) {
      throw new Error(
        `There is no XCom value behind ${canonicalize(reference)}: it was removed, or never stored here.`,
      );
    }
    return JSON.parse(text) as Json;
  }

  async remove(reference: Json): Promise<void> {
    this.#values.delete(canonicalize(reference));
  }
}
