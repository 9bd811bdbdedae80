import { AwsFault } from './aws-fault.ts';

/** What a check of a job is answered; the last answer stays. */
export type JobAnswer = 'pending' | 'transient' | 'done' | 'failed';

export interface JobBookOptions {
  /** The answers to all checks, one after the other. Default: each job is pending at its first check and then done. */
  readonly script?: readonly JobAnswer[];
  /** The clock by which checks are noted. Default: the real one. */
  readonly now?: () => Date;
}

/** What each service calls the states of its jobs. */
export interface StateNames {
  readonly pending: string;
  readonly done: string;
  readonly failed: string;
}

/** The jobs of a stand-in: which were submitted, looked at and cancelled, and how each goes on. */
export class JobBook {
  readonly submitted: string[] = [];
  readonly cancelled: string[] = [];
  readonly checks: Date[] = [];
  readonly #options: JobBookOptions;
  readonly #checksByJob = new Map<string, number>();
  readonly #ended = new Map<string, 'done' | 'failed'>();
  readonly #tokens = new Map<string, readonly string[]>();

  constructor(options: JobBookOptions = {}) {
    this.#options = options;
  }

  /** New jobs; those of a token that was seen before are the same jobs again. */
  submit(prefix: string, options: { readonly count?: number; readonly token?: string | undefined } = {}): string[] {
    const { count = 1, token } = options;
    const known = token === undefined ? undefined : this.#tokens.get(token);
    if (known) return [...known];
    const handles = Array.from({ length: count }, () => this.add(`${prefix}${this.submitted.length + 1}`));
    if (token !== undefined) this.#tokens.set(token, handles);
    return handles;
  }

  /** A job whose name its owner has chosen. */
  add(handle: string): string {
    this.submitted.push(handle);
    return handle;
  }

  has(handle: string): boolean {
    return this.submitted.includes(handle);
  }

  cancel(...handles: string[]): void {
    this.cancelled.push(...handles);
  }

  /** One look at one job, or at several that are asked for together. After their end it is no check any more. */
  look(states: StateNames, ...handles: string[]): string {
    const { script, now = () => new Date() } = this.#options;
    const key = handles.join();
    const ended = this.#ended.get(key);
    if (ended) return states[ended];
    const looks = this.#checksByJob.get(key) ?? 0;
    this.#checksByJob.set(key, looks + 1);
    const answers = script ?? DEFAULT_SCRIPT;
    const answer = answers[Math.min(script ? this.checks.length : looks, answers.length - 1)]!;
    this.checks.push(now());
    if (answer === 'transient') throw new AwsFault('ServiceUnavailable', 'Please try again.', 503);
    if (answer !== 'pending') this.#ended.set(key, answer);
    return states[answer];
  }
}

const DEFAULT_SCRIPT: readonly JobAnswer[] = ['pending', 'done'];
