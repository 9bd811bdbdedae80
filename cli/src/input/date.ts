import { InvalidArgumentError } from 'commander';

const SHAPE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})?)?$/i;

/** A date (midnight) or an instant, as ISO 8601 has them, in UTC unless it says otherwise. Returns it as the API wants it. */
export function date(text: string): string {
  const parts = SHAPE.exec(text);
  if (!parts) throw wrongDate(`It is not in the form of ISO 8601.`);
  const [, day, time = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = parts;
  const midnight = new Date(`${day}T00:00:00Z`);
  const instant = new Date(`${day}T${time}${seconds}${fraction}${zone.toUpperCase()}`);
  // The engine takes February 30 for March 2.
  if (Number.isNaN(instant.getTime()) || midnight.toISOString().slice(0, 10) !== day)
    throw wrongDate('There is no such date.');
  return instant.toISOString();
}

function wrongDate(reason: string): InvalidArgumentError {
  return new InvalidArgumentError(`${reason} Write 2026-01-31, or 2026-01-31T06:00:00Z.`);
}
