import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayIn, instantOf, parseTimeOfDay } from '../src/time/zoned-time.ts';

const at = (day: string, time: string, zone: string) => {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return instantOf({ year, month, day: date }, parseTimeOfDay(time)!, zone).toISOString();
};

describe('a time of day', () => {
  test.each([
    ['2026-01-15', '12:00', 'UTC', '2026-01-15T12:00:00.000Z'],
    ['2026-01-15', '12:00', 'Europe/Berlin', '2026-01-15T11:00:00.000Z'],
    ['2026-07-15', '12:00', 'Europe/Berlin', '2026-07-15T10:00:00.000Z'],
    ['2026-07-15', '00:00', 'Asia/Kolkata', '2026-07-14T18:30:00.000Z'],
    ['2026-07-15', '23:59:59', 'Pacific/Kiritimati', '2026-07-15T09:59:59.000Z'],
  ])('%s %s in %s is %s', (day, time, zone, expected) => {
    expect(at(day, time, zone)).toBe(expected);
  });

  test('that clocks show twice is the first of them', () => {
    expect(at('2026-10-25', '02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  });

  test('that clocks jump over is the first instant after the jump', () => {
    expect(at('2026-03-29', '02:30', 'Europe/Berlin')).toBe('2026-03-29T01:00:00.000Z');
    expect(at('2026-03-29', '02:59:59', 'Europe/Berlin')).toBe('2026-03-29T01:00:00.000Z');
    expect(at('2026-03-29', '03:00', 'Europe/Berlin')).toBe('2026-03-29T01:00:00.000Z');
    // Half an hour.
    expect(at('2026-10-04', '02:15', 'Australia/Lord_Howe')).toBe('2026-10-03T15:30:00.000Z');
  });

  test('leads back to its own day, in every zone', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland');
    const instants = fc.date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, zones, (instant, zone) => {
        const day = dayIn(instant, zone);
        const noon = instantOf(day, { hour: 12, minute: 0, second: 0 }, zone);
        expect(dayIn(noon, zone)).toEqual(day);
        expect(Math.abs(noon.getTime() - instant.getTime())).toBeLessThanOrEqual(13 * 3_600_000);
      }),
    );
  });
});

test.each(['24:00', '12:60', '12', '12:00:60', ' 12:00', 'noon', ''])('%j is no time of day', (text) => {
  expect(parseTimeOfDay(text)).toBeUndefined();
});
