import { reviveError } from '../ipc/revive-error.ts';

/** An error as the platform answers it: RFC 9457 with name, code and facts of the error's class. */
export interface Problem {
  readonly status: number;
  readonly detail: string;
  /** Default: none, where the platform itself failed. */
  readonly name?: string;
  readonly code?: string;
  readonly isRetryable?: boolean;
  readonly [fact: string]: unknown;
}

/**
 * Makes the error again that the platform threw, with its facts and the HTTP status, which tells whether it may pass;
 * null where the platform threw none of Windhover's own.
 */
export function reviveProblem(problem: Problem): Error | null {
  const { type: _type, title: _title, detail, name, code, isRetryable, ...facts } = problem;
  if (name === undefined || code === undefined) return null;
  const error = reviveError({ name, message: detail, code, ...(isRetryable === undefined ? {} : { isRetryable }) });
  return Object.assign(error, facts);
}
