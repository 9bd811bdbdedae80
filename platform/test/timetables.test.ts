import type { Schedule } from '@windhover/core';
import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { checkSchedule } from '../src/timetables/check-schedule.ts';
import { dateRange, iterateDateRange } from '../src/timetables/date-range.ts';
import { InvalidScheduleError } from '../src/timetables/invalid-schedule-error.ts';
import { next } from '../src/timetables/next.ts';
import { type NextDueOptions, nextDue } from '../src/timetables/next-due.ts';
import { onSchedule } from '../src/timetables/on-schedule.ts';
import type { ScheduledRun } from '../src/timetables/scheduled-run.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const cron = (expression: string, timezone = 'UTC'): Schedule => ({ type: 'cron', expression, timezone });
const DAILY = cron('0 0 * * *');
const at = (text: string) => new Date(text);
const iso = (dates: Iterable<Date>) => Array.from(dates, (date) => date.toISOString().replace(':00.000Z', 'Z'));

/** The first `count` runs from `startDate`, each after the one before. */
function runs(schedule: Schedule, startDate: Date, count: number, endDate: Date | null = null): ScheduledRun[] {
  const all: ScheduledRun[] = [];
  while (all.length < count) {
    const run = next(schedule, { startDate, endDate, after: all.at(-1)?.logicalDate ?? null });
    if (run === null) break;
    all.push(run);
  }
  return all;
}

const logicalDates = (...args: Parameters<typeof runs>) => iso(runs(...args).map((run) => run.logicalDate));

describe('the dates of a schedule', () => {
  test.each<[string, Schedule, string, string[]]>([
    ['a daily one', DAILY, '2026-01-01T00:00Z', ['2026-01-01T00:00Z', '2026-01-02T00:00Z', '2026-01-03T00:00Z']],
    [
      'a daily one begins at the first tick not before the start',
      DAILY,
      '2026-01-01T00:00:00.001Z',
      ['2026-01-02T00:00Z'],
    ],
    [
      'the last day of each month',
      cron('0 0 L * *'),
      '2028-01-01T00:00Z',
      ['2028-01-31T00:00Z', '2028-02-29T00:00Z', '2028-03-31T00:00Z', '2028-04-30T00:00Z'],
    ],
    [
      'the 31st leaves short months out',
      cron('0 0 31 * *'),
      '2026-01-01T00:00Z',
      ['2026-01-31T00:00Z', '2026-03-31T00:00Z', '2026-05-31T00:00Z'],
    ],
    ['leap days', cron('0 0 29 2 *'), '2026-01-01T00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    [
      'leap days over the year 2100, which is none',
      cron('0 0 29 2 *'),
      '2096-01-01T00:00Z',
      ['2096-02-29T00:00Z', '2104-02-29T00:00Z'],
    ],
    [
      'a month begins where the one before ends',
      cron('0 0 1 * *'),
      '2026-11-15T00:00Z',
      ['2026-12-01T00:00Z', '2027-01-01T00:00Z'],
    ],
    [
      'weekdays',
      cron('0 9 * * 1-5', 'America/New_York'),
      '2026-01-02T00:00Z',
      ['2026-01-02T14:00Z', '2026-01-05T14:00Z'],
    ],
    ['six fields begin with seconds', cron('30 0 0 * * *'), '2026-01-01T00:00Z', ['2026-01-01T00:00:30.000Z']],
    [
      'a step from a number, as Airflow has it',
      cron('5/20 * * * *'),
      '2026-01-01T00:00Z',
      ['2026-01-01T00:05Z', '2026-01-01T00:25Z', '2026-01-01T00:45Z', '2026-01-01T01:05Z'],
    ],
    [
      'an interval counts from the start',
      { type: 'interval', everyMs: 90 * 60_000 },
      '2026-01-01T00:10Z',
      ['2026-01-01T00:10Z', '2026-01-01T01:40Z', '2026-01-01T03:10Z'],
    ],
    [
      'an interval with a fraction of a millisecond does not drift',
      { type: 'interval', everyMs: 1.5 },
      '2026-01-01T00:00Z',
      ['2026-01-01T00:00Z', '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.003Z', '2026-01-01T00:00:00.004Z'],
    ],
    [
      'given dates in order, each once, from the start on',
      {
        type: 'dates',
        dates: [
          '2026-03-01T00:00:00.000Z',
          '2025-01-01T00:00:00.000Z',
          '2026-02-01T00:00:00.000Z',
          '2026-02-01T00:00:00.000Z',
        ],
      },
      '2026-01-01T00:00Z',
      ['2026-02-01T00:00Z', '2026-03-01T00:00Z'],
    ],
    ['none', { type: 'none' }, '2026-01-01T00:00Z', []],
    ['once', { type: 'once' }, '2026-01-01T00:00Z', ['2026-01-01T00:00Z']],
  ])('%s', (_name, schedule, start, expected) => {
    expect(logicalDates(schedule, at(start), Math.max(expected.length, 1))).toEqual(expected);
  });

  test('a run is due when its interval has passed', () => {
    const [run] = runs(DAILY, at('2026-01-01T00:00Z'), 1);
    expect(run).toEqual({
      logicalDate: at('2026-01-01T00:00Z'),
      dataInterval: { start: at('2026-01-01T00:00Z'), end: at('2026-01-02T00:00Z') },
      runAfter: at('2026-01-02T00:00Z'),
    });
  });

  test('a given date is due at that date', () => {
    const date = at('2026-01-01T00:00Z');
    const run = next({ type: 'dates', dates: [date.toISOString()] }, { startDate: null, endDate: null, after: null });
    expect(run).toEqual({ logicalDate: date, dataInterval: { start: date, end: date }, runAfter: date });
  });

  test('a last run that is off the schedule is followed by the next date on it', () => {
    const run = next(DAILY, { startDate: at('2026-01-01T00:00Z'), endDate: null, after: at('2026-01-05T07:13Z') });
    expect(run?.logicalDate).toEqual(at('2026-01-06T00:00Z'));
  });

  test('a last run before the start date is followed by the first interval', () => {
    const run = next(DAILY, { startDate: at('2026-01-01T00:00Z'), endDate: null, after: at('2020-01-01T00:00Z') });
    expect(run?.logicalDate).toEqual(at('2026-01-01T00:00Z'));
  });

  test('the end date is the last logical date', () => {
    expect(logicalDates(DAILY, at('2026-01-01T00:00Z'), 9, at('2026-01-02T00:00Z'))).toEqual([
      '2026-01-01T00:00Z',
      '2026-01-02T00:00Z',
    ]);
    expect(logicalDates({ type: 'once' }, at('2026-01-02T00:00Z'), 9, at('2026-01-01T00:00Z'))).toEqual([]);
  });

  test('without a clock the next run of a continuous DAG cannot be told', () => {
    const options = { startDate: null, endDate: null, after: null };
    expect(next({ type: 'continuous' }, options)).toBeNull();
    expect(next({ type: 'once' }, options)).toBeNull();
    expect(next(DAILY, options)).toBeNull();
  });
});

describe('where clocks change', () => {
  test.each<[string, Schedule, string, string[]]>([
    [
      '02:30 runs once on the day that has no 02:30',
      cron('30 2 * * *', 'Europe/Berlin'),
      '2026-03-28T00:00Z',
      ['2026-03-28T01:30Z', '2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    [
      '02:30 runs once on the day that has it twice',
      cron('30 2 * * *', 'Europe/Berlin'),
      '2026-10-24T00:00Z',
      ['2026-10-24T00:30Z', '2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    ],
    [
      'midnight runs on the day that begins at 01:00',
      cron('0 0 * * *', 'America/Santiago'),
      '2026-09-05T00:00Z',
      ['2026-09-05T04:00Z', '2026-09-06T04:00Z', '2026-09-07T03:00Z'],
    ],
    [
      'every hour is an hour where one is left out',
      cron('0 * * * *', 'Europe/Berlin'),
      '2026-03-29T00:00Z',
      ['2026-03-29T00:00Z', '2026-03-29T01:00Z', '2026-03-29T02:00Z'],
    ],
    [
      'every hour is an hour where one comes twice',
      cron('0 * * * *', 'Europe/Berlin'),
      '2026-10-25T00:00Z',
      ['2026-10-25T00:00Z', '2026-10-25T01:00Z', '2026-10-25T02:00Z'],
    ],
    [
      'a change of half an hour',
      cron('15 2 * * *', 'Australia/Lord_Howe'),
      '2026-10-02T00:00Z',
      ['2026-10-02T15:45Z', '2026-10-03T15:30Z', '2026-10-04T15:15Z'],
    ],
    [
      'a day that a country left out',
      cron('0 12 * * *', 'Pacific/Apia'),
      '2011-12-29T00:00Z',
      ['2011-12-29T22:00Z', '2011-12-30T22:00Z'],
    ],
  ])('%s', (_name, schedule, start, expected) => {
    expect(logicalDates(schedule, at(start), expected.length)).toEqual(expected);
    for (const date of expected) expect(onSchedule(schedule, at(start), at(date))).toBe(true);
  });

  test('the run of the day that has no 02:30 is due once, and at the next 02:30', () => {
    const schedule = cron('30 2 * * *', 'Europe/Berlin');
    const options = { startDate: at('2026-03-01T00:00Z'), endDate: null, after: at('2026-03-28T01:30Z') };
    for (const catchup of [true, false]) {
      const due = nextDue(schedule, { ...options, catchup, now: at('2026-03-30T00:30Z') });
      expect(due.run?.logicalDate).toEqual(at('2026-03-29T01:00Z'));
      expect(due.lookAgainAt).toEqual(at('2026-03-31T00:30Z'));
      const again = nextDue(schedule, {
        ...options,
        catchup,
        after: due.run!.logicalDate,
        now: at('2026-03-30T00:30Z'),
      });
      expect(again).toEqual({ run: null, lookAgainAt: at('2026-03-31T00:30Z') });
    }
  });
});

describe('nextDue', () => {
  const daily = (options: Partial<NextDueOptions>) =>
    nextDue(DAILY, {
      startDate: at('2026-01-01T00:00Z'),
      endDate: null,
      catchup: false,
      after: null,
      now: at('2026-01-10T12:00Z'),
      ...options,
    });
  const summary = ({ run, lookAgainAt }: ReturnType<typeof nextDue>) => [
    run?.logicalDate.toISOString().slice(0, 16) ?? null,
    lookAgainAt?.toISOString().slice(0, 16) ?? null,
  ];

  test.each<[string, Partial<NextDueOptions>, (string | null)[]]>([
    ['before the start date nothing is due', { now: at('2025-06-01T00:00Z') }, [null, '2026-01-02T00:00']],
    ['within the first interval nothing is due', { now: at('2026-01-01T23:59Z') }, [null, '2026-01-02T00:00']],
    [
      'the first run is due when the first interval has passed',
      { now: at('2026-01-02T00:00Z') },
      ['2026-01-01T00:00', '2026-01-03T00:00'],
    ],
    ['with catchup the first missed interval comes first', { catchup: true }, ['2026-01-01T00:00', '2026-01-03T00:00']],
    [
      'with catchup the next missed interval follows',
      { catchup: true, after: at('2026-01-01T00:00Z') },
      ['2026-01-02T00:00', '2026-01-04T00:00'],
    ],
    ['without catchup only the latest interval is run', {}, ['2026-01-09T00:00', '2026-01-11T00:00']],
    [
      'without catchup what was missed after a run is left out too',
      { after: at('2026-01-03T00:00Z') },
      ['2026-01-09T00:00', '2026-01-11T00:00'],
    ],
    ['a run that exists is not made again', { after: at('2026-01-09T00:00Z') }, [null, '2026-01-11T00:00']],
    ['with catchup, too', { catchup: true, after: at('2026-01-09T00:00Z') }, [null, '2026-01-11T00:00']],
    ['a last run in the future is waited for', { after: at('2026-01-20T00:00Z') }, [null, '2026-01-22T00:00']],
    [
      'at the tick itself the interval has passed',
      { now: at('2026-01-10T00:00Z') },
      ['2026-01-09T00:00', '2026-01-11T00:00'],
    ],
    [
      'a millisecond before, it has not',
      { now: at('2026-01-09T23:59:59.999Z') },
      ['2026-01-08T00:00', '2026-01-10T00:00'],
    ],
    [
      'after the end date nothing follows',
      { endDate: at('2026-01-05T00:00Z'), after: at('2026-01-05T00:00Z') },
      [null, null],
    ],
    [
      'an outage over the end date does not swallow the last run',
      { endDate: at('2026-01-05T12:00Z'), after: at('2026-01-02T00:00Z') },
      ['2026-01-05T00:00', null],
    ],
    ['an end date before the start date leaves nothing', { endDate: at('2025-01-01T00:00Z') }, [null, null]],
    [
      'the last run before the end date is waited for',
      { endDate: at('2026-01-10T00:00Z'), after: at('2026-01-09T00:00Z') },
      [null, '2026-01-11T00:00'],
    ],
  ])('%s', (_name, options, expected) => {
    expect(summary(daily(options))).toEqual(expected);
  });

  test('catching up makes every missed run, in order', () => {
    const made: Date[] = [];
    for (;;) {
      const { run, lookAgainAt } = daily({ catchup: true, after: made.at(-1) ?? null });
      if (run === null) {
        expect(lookAgainAt).toEqual(at('2026-01-11T00:00Z'));
        break;
      }
      made.push(run.logicalDate);
    }
    expect(made).toEqual(dateRange(DAILY, at('2026-01-01T00:00Z'), at('2026-01-09T00:00Z')));
  });

  test('once runs now, though its date has passed, and never again', () => {
    const options = { startDate: at('2020-01-01T00:00Z'), endDate: null, catchup: false, now: at('2026-01-01T00:00Z') };
    expect(summary(nextDue({ type: 'once' }, { ...options, after: null }))).toEqual(['2020-01-01T00:00', null]);
    expect(summary(nextDue({ type: 'once' }, { ...options, after: options.startDate }))).toEqual([null, null]);
  });

  test('once without a start date takes the clock, with a later one it waits', () => {
    const options = { endDate: null, catchup: false, after: null, now: at('2026-01-01T00:00Z') };
    expect(summary(nextDue({ type: 'once' }, { ...options, startDate: null }))).toEqual(['2026-01-01T00:00', null]);
    expect(summary(nextDue({ type: 'once' }, { ...options, startDate: at('2026-02-01T00:00Z') }))).toEqual([
      null,
      '2026-02-01T00:00',
    ]);
  });

  test('continuous runs as soon as the last run has finished, each with a date of its own', () => {
    const now = at('2026-01-01T00:00Z');
    const options = { startDate: null, endDate: null, catchup: false, now };
    const continuous: Schedule = { type: 'continuous' };
    expect(nextDue(continuous, { ...options, after: null }).run?.logicalDate).toEqual(now);
    expect(nextDue(continuous, { ...options, after: at('2025-01-01T00:00Z') }).run?.logicalDate).toEqual(now);
    expect(nextDue(continuous, { ...options, after: null, isLastRunFinished: false })).toEqual({
      run: null,
      lookAgainAt: null,
    });
    const sameInstant = nextDue(continuous, { ...options, after: now });
    expect(sameInstant).toEqual({ run: null, lookAgainAt: new Date(now.getTime() + 1) });
    expect(summary(nextDue(continuous, { ...options, startDate: at('2026-02-01T00:00Z'), after: null }))).toEqual([
      null,
      '2026-02-01T00:00',
    ]);
    expect(summary(nextDue(continuous, { ...options, endDate: at('2025-12-31T00:00Z'), after: null }))).toEqual([
      null,
      null,
    ]);
  });

  test('given dates without catchup: the latest that has come', () => {
    const dates = ['2026-01-01', '2026-01-03', '2026-01-05'].map((day) => `${day}T00:00:00.000Z`);
    const options = { startDate: null, endDate: null, catchup: false, after: null };
    const due = (now: string, more: Partial<NextDueOptions> = {}) =>
      summary(nextDue({ type: 'dates', dates }, { ...options, now: at(now), ...more }));
    expect(due('2025-12-01T00:00Z')).toEqual([null, '2026-01-01T00:00']);
    expect(due('2026-01-03T00:00Z')).toEqual(['2026-01-03T00:00', '2026-01-05T00:00']);
    expect(due('2026-01-03T00:00Z', { catchup: true })).toEqual(['2026-01-01T00:00', '2026-01-03T00:00']);
    expect(due('2027-01-01T00:00Z', { after: at('2026-01-05T00:00Z') })).toEqual([null, null]);
  });

  test('10,000 missed intervals cost no more steps than one', () => {
    const now = at('2026-06-01T00:00:30Z');
    const steps = [vi.spyOn(Cron.prototype, 'nextRun'), vi.spyOn(Cron.prototype, 'previousRuns')];
    for (const schedule of [cron('* * * * *', 'Europe/Berlin'), { type: 'interval', everyMs: 60_000 } as const]) {
      for (const missed of [2, 10_000, 10_000_000]) {
        for (const step of steps) step.mockClear();
        const after = new Date(now.getTime() - missed * 60_000);
        const due = nextDue(schedule, {
          startDate: at('2000-01-01T00:00Z'),
          endDate: null,
          catchup: false,
          after,
          now,
        });
        expect(due.run?.logicalDate).toEqual(at('2026-05-31T23:59Z'));
        expect(steps.reduce((sum, step) => sum + step.mock.calls.length, 0)).toBeLessThan(10);
      }
    }
    for (const step of steps) step.mockRestore();
  });

  test('none never runs', () => {
    const options = { startDate: null, endDate: null, catchup: true, after: null, now: at('2026-01-01T00:00Z') };
    expect(nextDue({ type: 'none' }, options)).toEqual({ run: null, lookAgainAt: null });
  });
});

describe('dateRange and onSchedule', () => {
  test('both ends of a range belong to it', () => {
    expect(iso(dateRange(DAILY, at('2026-01-01T00:00Z'), at('2026-01-03T00:00Z')))).toEqual([
      '2026-01-01T00:00Z',
      '2026-01-02T00:00Z',
      '2026-01-03T00:00Z',
    ]);
  });

  test('an interval schedule keeps to its start date, not to the start of the range', () => {
    const every: Schedule = { type: 'interval', everyMs: DAY };
    const range = dateRange(every, at('2026-01-05T00:00Z'), at('2026-01-07T00:00Z'), at('2026-01-01T06:00Z'));
    expect(iso(range)).toEqual(['2026-01-05T06:00Z', '2026-01-06T06:00Z']);
    expect(onSchedule(every, at('2026-01-01T06:00Z'), at('2026-01-06T06:00Z'))).toBe(true);
    expect(onSchedule(every, at('2026-01-01T06:00Z'), at('2026-01-06T00:00Z'))).toBe(false);
  });

  test('nothing before the start date is on the schedule', () => {
    expect(iso(dateRange(DAILY, at('2026-01-01T00:00Z'), at('2026-01-03T00:00Z'), at('2026-01-03T00:00Z')))).toEqual([
      '2026-01-03T00:00Z',
    ]);
    expect(onSchedule(DAILY, at('2026-01-03T00:00Z'), at('2026-01-02T00:00Z'))).toBe(false);
    expect(onSchedule(DAILY, null, at('2026-01-02T00:00Z'))).toBe(true);
  });

  test('once has its start date, none and continuous have no dates to list', () => {
    const range = [at('2026-01-01T00:00Z'), at('2026-01-03T00:00Z')] as const;
    expect(iso(dateRange({ type: 'once' }, ...range, at('2026-01-02T00:00Z')))).toEqual(['2026-01-02T00:00Z']);
    expect(dateRange({ type: 'once' }, ...range, at('2025-01-02T00:00Z'))).toEqual([]);
    expect(dateRange({ type: 'once' }, ...range, at('2027-01-02T00:00Z'))).toEqual([]);
    expect(dateRange({ type: 'none' }, ...range)).toEqual([]);
    expect(dateRange({ type: 'continuous' }, ...range)).toEqual([]);
    expect(onSchedule({ type: 'none' }, null, range[0])).toBe(false);
    expect(onSchedule({ type: 'once' }, range[0], range[0])).toBe(true);
    expect(onSchedule({ type: 'once' }, range[0], range[1])).toBe(false);
    expect(onSchedule({ type: 'continuous' }, range[0], range[1])).toBe(true);
  });

  test('the first dates of an endless range come at once', () => {
    const dates = iterateDateRange(cron('* * * * * *'), at('2026-01-01T00:00Z'), at('9999-01-01T00:00Z'));
    expect(dates.next().value).toEqual(at('2026-01-01T00:00Z'));
    expect(dates.next().value).toEqual(at('2026-01-01T00:00:01Z'));
  });
});

describe('checkSchedule', () => {
  test.each([
    ['0 0 1 13 *', 'UTC', /month/],
    ['61 * * * *', 'UTC', /minute/],
    ['0 0 30 2 *', 'UTC', /no date ever matches/],
    ['0 0 * *', 'UTC', /five/],
    ['0 0 * * *', 'Mars/Olympus', /Mars\/Olympus/],
  ])('refuses "%s" in %s', (expression, timezone, reason) => {
    const check = () => checkSchedule(cron(expression, timezone));
    expect(check).toThrow(InvalidScheduleError);
    expect(check).toThrow(reason);
  });

  test('accepts every kind that can be evaluated', () => {
    checkSchedule({ type: 'none' });
    checkSchedule({ type: 'dates', dates: [] });
    checkSchedule(cron('0 0 29 2 *', 'Europe/Berlin'));
  });
});

describe('whatever the schedule', () => {
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'America/Santiago',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Atlantic/Azores',
    'Asia/Beirut',
  );
  const minute = fc.oneof(fc.integer({ min: 0, max: 59 }).map(String), fc.constantFrom('*/7', '0,30', '10-50/20', '*'));
  const hour = fc.oneof(fc.integer({ min: 0, max: 23 }).map(String), fc.constantFrom('*', '*/5', '1-3', '2,3,23'));
  const day = fc.constantFrom('*', '*', '*', '1', 'L', '31', '*/10');
  const month = fc.constantFrom('*', '*', '3', '3,10', '2');
  const weekday = fc.constantFrom('*', '*', '0', '1-5', '0#2');
  const cronSchedule = fc
    .tuple(minute, hour, day, month, weekday, zone)
    .map(([...parts]) => cron(parts.slice(0, 5).join(' '), parts[5]))
    .filter((schedule) => !(schedule.type === 'cron' && / 31 2 \*$/.test(schedule.expression)));
  const interval = fc.integer({ min: 1, max: 40 * DAY }).map((everyMs): Schedule => ({ type: 'interval', everyMs }));
  const schedule = fc.oneof({ weight: 3, arbitrary: cronSchedule }, interval);
  const instant = fc
    .date({ min: at('2024-01-01T00:00Z'), max: at('2028-01-01T00:00Z'), noInvalidDate: true })
    // Half of them close to a change of clocks in Europe.
    .chain((date) =>
      fc.constantFrom(date, new Date(at('2026-03-29T00:00Z').getTime() + (date.getTime() % (3 * HOUR)))),
    );

  test('dates rise, intervals touch, and every date is on the schedule', () => {
    fc.assert(
      fc.property(schedule, instant, (schedule, startDate) => {
        const all = runs(schedule, startDate, 12);
        expect(all).toHaveLength(12);
        expect(all[0]!.logicalDate >= startDate).toBe(true);
        for (const [index, run] of all.entries()) {
          expect(run.dataInterval.start).toEqual(run.logicalDate);
          expect(run.runAfter).toEqual(run.dataInterval.end);
          expect(run.dataInterval.end > run.dataInterval.start).toBe(true);
          expect(onSchedule(schedule, startDate, run.logicalDate)).toBe(true);
          const following = all[index + 1];
          if (following) expect(following.logicalDate).toEqual(run.dataInterval.end);
        }
      }),
    );
  });

  test('dateRange lists just what next counts, and onSchedule agrees', () => {
    fc.assert(
      fc.property(schedule, instant, fc.integer({ min: 0, max: 3 * HOUR }), (schedule, startDate, offset) => {
        const all = runs(schedule, startDate, 8).map((run) => run.logicalDate);
        expect(dateRange(schedule, all[2]!, all[7]!, startDate)).toEqual(all.slice(2));
        const somewhere = new Date(all[3]!.getTime() + offset);
        const listed = dateRange(schedule, somewhere, somewhere, startDate).length === 1;
        expect(onSchedule(schedule, startDate, somewhere)).toBe(listed);
      }),
    );
  });

  test('without catchup the run made is the latest that catching up would make', () => {
    fc.assert(
      fc.property(
        schedule,
        instant,
        fc.nat(9),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (schedule, startDate, missed, part) => {
          const all = runs(schedule, startDate, 12);
          const [from, to] = [all[missed]!.runAfter.getTime(), all[missed + 1]!.runAfter.getTime()];
          const now = new Date(from + Math.floor((to - from - 1) * part));
          const options = { startDate, endDate: null, catchup: false, after: null, now };
          const due = nextDue(schedule, options);
          expect(due).toEqual({ run: all[missed], lookAgainAt: all[missed + 1]!.runAfter });
          expect(nextDue(schedule, { ...options, after: due.run!.logicalDate })).toEqual({
            run: null,
            lookAgainAt: due.lookAgainAt,
          });
        },
      ),
    );
  });

  test('asking at each time it names never makes a run twice or too early', () => {
    fc.assert(
      fc.property(schedule, instant, fc.boolean(), (schedule, startDate, catchup) => {
        let now = startDate;
        let after: Date | null = null;
        for (let step = 0; step < 8; step += 1) {
          const due = nextDue(schedule, { startDate, endDate: null, catchup, after, now });
          if (due.run) {
            expect(due.run.runAfter <= now).toBe(true);
            if (after) expect(due.run.logicalDate > after).toBe(true);
            after = due.run.logicalDate;
          }
          if (due.lookAgainAt && due.lookAgainAt > now) now = due.lookAgainAt;
        }
        expect(after).not.toBeNull();
      }),
    );
  });
});
