import { isTransientError } from '@windhover/core';
import { backoffMs } from '../dag-processor/backoff.ts';

export interface BatchSenderOptions<Item, Answer> {
  /** Answers each item in its place. */
  send(items: readonly Item[]): Promise<readonly Answer[]>;
  /** An answer makes sending this one superfluous. Default: undefined, it is to be sent. */
  answerWithout(item: Item): Answer | undefined;
  /** Sending failed in passing and will be tried again. */
  onRetry(error: unknown): void;
}

interface Entry<Item, Answer> extends PromiseWithResolvers<Answer> {
  readonly item: Item;
}

/**
 * Sends at once what comes alone; what comes while that is under way goes together in the next batch. So nothing waits
 * for a batch to fill, and batches are large under load. What fails in passing is sent again, until it is superfluous.
 */
export class BatchSender<Item, Answer> {
  readonly #options: BatchSenderOptions<Item, Answer>;
  #entries: Entry<Item, Answer>[] = [];
  #isSending = false;

  constructor(options: BatchSenderOptions<Item, Answer>) {
    this.#options = options;
  }

  /** Rejects if it was refused. */
  add(item: Item): Promise<Answer> {
    const entry = { item, ...Promise.withResolvers<Answer>() };
    this.#entries.push(entry);
    if (!this.#isSending) void this.#sendAll();
    return entry.promise;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    // All that came in one message of a runner goes together.
    await null;
    for (let failures = 0; this.#entries.length > 0; ) {
      const batch = this.#entries.splice(0, MAX_BATCH).filter((entry) => !this.#isSuperfluous(entry));
      const failure = batch.length > 0 ? await this.#sendBatch(batch) : null;
      failures = failure ? failures + 1 : 0;
      if (!failure) continue;
      this.#options.onRetry(failure.error);
      await new Promise((resolve) => setTimeout(resolve, backoffMs(failures - 1)));
    }
    this.#isSending = false;
  }

  #isSuperfluous({ item, resolve }: Entry<Item, Answer>): boolean {
    const answer = this.#options.answerWithout(item);
    if (answer === undefined) return false;
    resolve(answer);
    return true;
  }

  /** Answers the failure if it passes; the batch is then back in its place. */
  async #sendBatch(batch: Entry<Item, Answer>[]): Promise<{ readonly error: unknown } | null> {
    try {
      const answers = await this.#options.send(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!);
      return null;
    } catch (error) {
      if (isTransientError(error)) {
        this.#entries.unshift(...batch);
        return { error };
      }
      // One of them is to blame. Each goes alone, so that only that one is refused.
      if (batch.length === 1) batch[0]!.reject(error);
      else for (const entry of batch) await this.#sendAlone(entry);
      return null;
    }
  }

  async #sendAlone(entry: Entry<Item, Answer>): Promise<void> {
    const failure = await this.#sendBatch([entry]);
    // Back at the front of the queue; the next batch tries again.
    if (failure) this.#options.onRetry(failure.error);
  }
}

const MAX_BATCH = 250;
