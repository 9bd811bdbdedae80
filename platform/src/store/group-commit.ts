/**
 * Adaptive group commit: the first item goes at once; what arrives while it is under way goes together in the next
 * batch. No fixed delay, large batches under load.
 */
export class GroupCommit<Item, Answer> {
  readonly #write: (items: readonly Item[]) => Promise<readonly Answer[]>;
  readonly #maxBatch: number;
  #waiting: Waiting<Item, Answer>[] = [];
  #isWriting = false;
  #idle: (() => void)[] = [];

  /** `write` answers each item by its place. `maxBatch` bounds the time one transaction takes. */
  constructor(write: (items: readonly Item[]) => Promise<readonly Answer[]>, maxBatch = 200) {
    this.#write = write;
    this.#maxBatch = maxBatch;
  }

  submit(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isWriting) void this.#drain();
    });
  }

  /** Resolves when everything submitted so far is written. */
  flush(): Promise<void> {
    if (!this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  async #drain(): Promise<void> {
    this.#isWriting = true;
    // A turn later, so that items submitted together go together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxBatch);
      try {
        const answers = await this.#write(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!);
      } catch (error) {
        await this.#oneByOne(batch, error);
      }
    }
    this.#isWriting = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** One item that cannot be written must not fail the others. */
  async #oneByOne(batch: readonly Waiting<Item, Answer>[], error: unknown): Promise<void> {
    if (batch.length === 1) return batch[0]!.reject(error);
    for (const { item, resolve, reject } of batch) {
      try {
        resolve((await this.#write([item]))[0]!);
      } catch (failure) {
        reject(failure);
      }
    }
  }
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}
