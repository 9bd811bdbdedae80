import { CONNECTION_RESET, type StandInAnswer } from './stand-in-server.ts';

/** The same words as `BackendAnswer` of `@windhover/core/testing`. */
export type CheckAnswer = 'pending' | 'transient' | 'done' | 'failed';

/** What a stand-in answers to one check after the other; it stays with the last answer. Notes when each came. */
export class CheckScript {
  readonly checks: Date[] = [];
  readonly now: () => Date;
  readonly #answers: readonly CheckAnswer[];

  constructor(answers: readonly CheckAnswer[], now: () => Date = () => new Date()) {
    this.#answers = answers;
    this.now = now;
  }

  next(): CheckAnswer {
    const answer = this.#answers[Math.min(this.checks.length, this.#answers.length - 1)] ?? 'done';
    this.checks.push(this.now());
    return answer;
  }

  /** Every third one breaks the connection, so that both kinds are met; the others are `busy`. */
  transient(busy: StandInAnswer): StandInAnswer {
    if (this.checks.length % 3 === 0) throw CONNECTION_RESET;
    return busy;
  }
}
