import { WindhoverError } from '@windhover/core';

export interface ConfigProblem {
  /** `api.port`, also where the value came from the environment. */
  readonly key: string;
  /** The file or the environment variable to correct. */
  readonly origin: string;
  readonly message: string;
}

/** Everything that is wrong with the configuration, at once. */
export class ConfigError extends WindhoverError {
  readonly code = 'E_CONFIG';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super(
      `The configuration has ${count}:\n${problems.map(({ origin, message }) => `  ${origin}: ${message}`).join('\n')}`,
    );
    this.problems = problems;
  }
}
