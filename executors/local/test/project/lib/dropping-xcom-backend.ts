import type { Json, XComBackend } from '@windhover/core';

/** Keeps nothing, and answers what it was told to. */
export class DroppingXComBackend implements XComBackend {
  readonly #answer: Json;

  constructor({ answer }: { readonly answer: Json }) {
    this.#answer = answer;
  }

  async store(): Promise<Json> {
    return this.#answer;
  }

  async load(): Promise<Json> {
    return null;
  }

  async remove(): Promise<void> {}
}
