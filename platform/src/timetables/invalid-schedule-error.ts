import { WindhoverError } from '@windhover/core';

/** A cron schedule that cannot be evaluated. Core only glances at the expression; here it is parsed. */
export class InvalidScheduleError extends WindhoverError {
  readonly code = 'E_SCHEDULE';
  readonly expression: string;
  readonly timezone: string;

  constructor(expression: string, timezone: string, reason: string, options?: ErrorOptions) {
    super(
      `The schedule "${expression}" (${timezone}) cannot be used: ${reason}. ` +
        'Write five fields (minute hour day month weekday), or six with seconds first, such as "30 2 * * 1-5".',
      options,
    );
    this.expression = expression;
    this.timezone = timezone;
  }
}
