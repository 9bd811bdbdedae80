import type { Storage } from '@google-cloud/storage';
import { BaseHook, type Connection, type ConnectionSource, type ConnectionTestResult } from '@windhover/core';
import { GoogleApiError } from '../google-api-error.ts';
import type { GoogleOverrides } from '../google-auth.ts';
import { callGoogle, GoogleHook } from '../google-hook.ts';

export interface GCSObject {
  readonly name: string;
  readonly updatedAt: Date;
  readonly sizeBytes: number;
}

/** Objects of Cloud Storage, through Google's own client. */
export class GCSHook extends BaseHook<Storage> {
  static readonly connType = GoogleHook.connType;
  readonly #google: GoogleHook;

  constructor(source: ConnectionSource, connId = 'google_cloud_default', overrides: GoogleOverrides = {}) {
    super(source, connId);
    this.#google = new GoogleHook(source, connId, overrides);
  }

  protected async createClient(_connection: Connection): Promise<Storage> {
    const { projectId, apiEndpoint, isAnonymous, authClient } = await this.#google.client();
    const { Storage } = await import('@google-cloud/storage');
    return new Storage({
      // The version of google-auth-library that the client brings may be another one than ours.
      authClient: authClient as never,
      // Tries again are made by whoever polls: there they have a budget, and are seen.
      retryOptions: { autoRetry: false },
      timeout: REQUEST_TIMEOUT_MS,
      ...(projectId === undefined ? {} : { projectId }),
      ...(apiEndpoint === undefined ? {} : { apiEndpoint, useAuthWithCustomEndpoint: !isAnonymous }),
    });
  }

  override testConnection(): Promise<ConnectionTestResult> {
    return this.#google.testConnection();
  }

  /** Undefined if there is none. A bucket that does not exist is an error: a sensor would wait for it in vain. */
  async getObject(bucket: string, name: string): Promise<GCSObject | undefined> {
    try {
      const storage = await this.client();
      const [metadata] = await this.#call(`look up gs://${bucket}/${name}`, () =>
        storage.bucket(bucket).file(name).getMetadata(),
      );
      return readObject(metadata);
    } catch (error) {
      const isBucketThere = !/bucket does not exist/.test(String((error as Error).cause));
      if (error instanceof GoogleApiError && error.status === 404 && isBucketThere) return undefined;
      throw error;
    }
  }

  /** All objects whose name begins so or matches the glob, over all pages, in the order of their names. */
  async listObjects(bucket: string, query: { prefix?: string; matchGlob?: string }): Promise<readonly GCSObject[]> {
    const storage = await this.client();
    const [files] = await this.#call(`list gs://${bucket}/${query.prefix ?? query.matchGlob ?? ''}`, () =>
      storage.bucket(bucket).getFiles(query),
    );
    return files.map(({ metadata }) => readObject(metadata));
  }

  async #call<T>(doing: string, request: () => Promise<T>): Promise<T> {
    return callGoogle(this.connId, await this.#google.client(), doing, request);
  }
}

const REQUEST_TIMEOUT_MS = 60_000;

function readObject(metadata: { name?: string; updated?: string; size?: string | number }): GCSObject {
  return { name: metadata.name!, updatedAt: new Date(metadata.updated!), sizeBytes: Number(metadata.size ?? 0) };
}
