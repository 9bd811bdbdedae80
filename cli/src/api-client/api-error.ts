import { WindhoverError } from '@windhover/core';

/** A body of `application/problem+json`. Beside these fields it has the facts of its error, such as `runId`. */
export interface Problem {
  readonly title: string;
  readonly status: number;
  readonly code?: string;
  /** What happened, with which thing, and what to do. */
  readonly detail?: string;
}

/** The server has answered, and the answer is no. `code` is the server's. */
export class ApiError extends WindhoverError {
  readonly code: string;
  readonly status: number;
  readonly problem: Problem;

  constructor(status: number, problem: Problem) {
    super(problem.detail ?? problem.title);
    this.code = problem.code ?? `E_HTTP_${status}`;
    this.status = status;
    this.problem = problem;
  }
}
