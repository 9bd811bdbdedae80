import {
  type Json,
  type StartedTask,
  serialize,
  type TaskApi,
  type TaskHandOff,
  type XComBackend,
  type XComPullOptions,
  type XComReader,
  type XComValue,
  type XComWriter,
} from '@windhover/core';
import { pullXCom } from './pull-xcom.ts';
import { XComTooLargeError } from './xcom-too-large-error.ts';

export interface XComStoreOptions {
  /** Largest value, as JSON, that goes into the database. Default: 1,000,000. */
  readonly xcomLimitBytes?: number | undefined;
  /** Keeps what is larger. Default: none, and what is larger is refused. */
  readonly xcomBackend?: XComBackend | undefined;
}

export const DEFAULT_XCOM_LIMIT_BYTES = 1_000_000;

/** The XComs of a running task. */
export class XComStore implements XComReader, XComWriter {
  readonly #taskApi: TaskApi;
  readonly #handOff: TaskHandOff;
  readonly #started: StartedTask;
  readonly #limitBytes: number;
  readonly #backend: XComBackend | undefined;

  constructor(taskApi: TaskApi, handOff: TaskHandOff, started: StartedTask, options: XComStoreOptions) {
    this.#taskApi = taskApi;
    this.#handOff = handOff;
    this.#started = started;
    this.#limitBytes = options.xcomLimitBytes ?? DEFAULT_XCOM_LIMIT_BYTES;
    this.#backend = options.xcomBackend;
  }

  async pull<T = unknown>(taskId: string, options?: XComPullOptions): Promise<T | undefined> {
    return pullXCom<T>(this.#taskApi, this.#handOff, this.#backend, taskId, options);
  }

  async push(key: string, value: unknown): Promise<void> {
    const given: XComValue =
      value === undefined ? { type: 'none' } : { type: 'value', value: serialize(value, `xcom "${key}"`) };
    await this.#taskApi.putXCom(this.#handOff, key, await this.fit(key, given));
  }

  /** The value itself if it is small enough for the database, otherwise the backend's reference to it. */
  async fit(key: string, value: XComValue): Promise<XComValue> {
    const sizeBytes = value.type === 'value' ? sizeOf(value.value) : 0;
    if (value.type !== 'value' || sizeBytes <= this.#limitBytes) return value;
    const { key: instance, attempt } = this.#started;
    if (!this.#backend) throw new XComTooLargeError(instance.taskId, key, sizeBytes, this.#limitBytes);
    return { type: 'reference', reference: await this.#backend.store({ ...instance, key }, attempt, value.value) };
  }
}

function sizeOf(value: Json): number {
  // Small and common: not worth a text.
  return value === null || typeof value === 'boolean' || typeof value === 'number'
    ? 0
    : Buffer.byteLength(JSON.stringify(value));
}
