import type { ExecutorHost, Json, XComBackend, XComKey } from '@windhover/core';
import type { ClassLoader } from '../loader/class-loader.ts';
import { ClasspathKindError } from '../loader/classpath-kind-error.ts';

/** How an XCom backend is named where it is not loaded. */
export type XComBackendSettings = NonNullable<ExecutorHost['xcomBackend']>;

/** Loads a backend when a value needs it: most tasks never do, and the client of a cloud takes long to load. */
export class LazyXComBackend implements XComBackend {
  readonly #settings: XComBackendSettings;
  readonly #loader: ClassLoader;
  #loading: Promise<XComBackend> | undefined;

  constructor(settings: XComBackendSettings, loader: ClassLoader) {
    this.#settings = settings;
    this.#loader = loader;
  }

  async store(key: XComKey, attempt: number, value: Json): Promise<Json> {
    return (await this.#backend()).store(key, attempt, value);
  }

  async load(reference: Json): Promise<Json> {
    return (await this.#backend()).load(reference);
  }

  async remove(reference: Json): Promise<void> {
    await (await this.#backend()).remove(reference);
  }

  async close(): Promise<void> {
    await (await this.#loading)?.close?.();
  }

  #backend(): Promise<XComBackend> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<XComBackend> {
    const { classpath, options } = this.#settings;
    const found = await this.#loader.load(classpath);
    const Backend = found as new (given: typeof options) => XComBackend;
    if (typeof found !== 'function' || typeof Backend.prototype?.store !== 'function')
      throw new ClasspathKindError(classpath, 'a class that implements XComBackend');
    return new Backend(options);
  }
}
