import type { Json, XComBackend, XComKey } from '@windhover/core';
import type { S3Hook } from './s3-hook.ts';
import { keySegment, type S3StoreOptions, storeHook } from './s3-store.ts';
import { S3XComMissingError } from './s3-xcom-missing-error.ts';

/** Keeps large results of tasks in S3. The reference is the object's place. */
export class S3XComBackend implements XComBackend {
  readonly #hook: S3Hook;
  readonly #bucketName: string;
  readonly #prefix: string;

  constructor(options: S3StoreOptions) {
    this.#hook = storeHook(options);
    this.#bucketName = options.bucketName;
    this.#prefix = options.prefix ?? 'windhover';
  }

  async store({ dagId, runId, taskId, mapIndex, key }: XComKey, attempt: number, value: Json): Promise<Json> {
    const names = [dagId, runId, taskId].map(keySegment).join('/');
    const path = `${this.#prefix}/xcom/${names}/${mapIndex}.${attempt}/${keySegment(key)}.json`;
    const place = { bucketName: this.#bucketName, key: path };
    await this.#hook.writeKey(place, JSON.stringify(value), { ContentType: 'application/json' });
    return place;
  }

  async load(reference: Json): Promise<Json> {
    const place = reference as { readonly bucketName: string; readonly key: string };
    const text = await this.#hook.readKey(place);
    if (text === null) throw new S3XComMissingError(place);
    return JSON.parse(text) as Json;
  }

  async remove(reference: Json): Promise<void> {
    const { bucketName, key } = reference as { readonly bucketName: string; readonly key: string };
    await this.#hook.deleteKeys(bucketName, [key]);
  }
}
