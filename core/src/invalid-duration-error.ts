import { WindhoverError } from './windhover-error.ts';

export class InvalidDurationError extends WindhoverError {
  readonly code = 'E_DURATION';
  readonly value: unknown;

  constructor(value: unknown) {
    super(
      `Not a duration: ${typeof value === 'string' ? `"${value}"` : show(value)}. ` +
        'Write "250ms", "30s", "5m", "8h" or "1d", or an object such as { hours: 1, minutes: 30 }, not negative.',
    );
    this.value = value;
  }
}

function show(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
