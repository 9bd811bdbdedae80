import { describe, expect, test } from 'vitest';
import {
  PollBudgetError,
  type PollHost,
  type PollOptions,
  PollTimeoutError,
  poll,
  pollIntervalMs,
} from '../src/index.ts';

type Answer = string | undefined | Error;

const busy = (fields: object = {}): Error => Object.assign(new Error('busy'), { status: 503, ...fields });

/** A host whose clock moves only by its sleeps. */
class FakeHost implements PollHost {
  nowMs = 0;
  readonly sleeps: number[] = [];
  readonly warnings: string[] = [];
  readonly polls: unknown[][] = [];
  readonly log: PollHost['log'] = {
    debug: () => {},
    info: () => {},
    warning: (message) => void this.warnings.push(message),
    error: () => {},
  };

  now(): Date {
    return new Date(this.nowMs);
  }

  async sleep(durationMs: number): Promise<void> {
    this.sleeps.push(durationMs);
    this.nowMs += durationMs;
  }

  onPoll(...outcome: unknown[]): void {
    this.polls.push(outcome);
  }
}

/** Polls with these answers, one for each check; the last must end it. */
async function pollWith(answers: readonly Answer[], options: Partial<PollOptions> = {}, host = new FakeHost()) {
  const left = [...answers];
  const run = poll(
    async () => {
      if (left.length === 0) throw new Error('There was one check too many.');
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    { interval: '10s', ...options },
    host,
  );
  const outcome = await run.then(
    (value) => ({ value, error: undefined }),
    (error: unknown) => ({ value: undefined, error }),
  );
  return { ...outcome, host, sleeps: host.sleeps, checks: answers.length - left.length };
}

describe('poll', () => {
  test('answers at once what the first check finds, without a sleep', async () => {
    const { value, sleeps } = await pollWith(['found']);
    expect(value).toBe('found');
    expect(sleeps).toStrictEqual([]);
  });

  test('sleeps one interval after each check that found nothing', async () => {
    const { value, sleeps } = await pollWith([undefined, undefined, undefined, 'found']);
    expect(value).toBe('found');
    expect(sleeps).toStrictEqual([10_000, 10_000, 10_000]);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['false', false],
    ['zero', 0],
    ['an empty text', ''],
  ])('takes %s for something found', async (_name, found) => {
    const host = new FakeHost();
    expect(await poll(async () => found, { interval: '1s' }, host)).toBe(found);
    expect(host.sleeps).toStrictEqual([]);
  });

  test('doubles the interval with backoff', async () => {
    const { sleeps } = await pollWith([undefined, undefined, undefined, 'found'], { exponentialBackoff: true });
    expect(sleeps).toStrictEqual([10_000, 20_000, 40_000]);
  });

  test('goes on with backoff where the checks before it had come to', async () => {
    const { sleeps } = await pollWith([undefined, undefined, 'found'], { exponentialBackoff: true, checksBefore: 2 });
    expect(sleeps).toStrictEqual([40_000, 80_000]);
  });

  test('never sleeps longer than the longest interval with backoff', async () => {
    const { sleeps } = await pollWith([undefined, undefined, undefined, 'found'], {
      exponentialBackoff: true,
      maxInterval: '15s',
    });
    expect(sleeps).toStrictEqual([10_000, 15_000, 15_000]);
  });

  test('bears failures that pass, with backoff, and goes back to its interval after them', async () => {
    const { value, sleeps } = await pollWith([busy(), busy(), busy(), undefined, busy(), 'found']);
    expect(value).toBe('found');
    expect(sleeps).toStrictEqual([10_000, 20_000, 40_000, 10_000, 10_000]);
  });

  test('never waits longer than the longest interval after failures', async () => {
    const { sleeps } = await pollWith([busy(), busy(), busy(), 'found'], { maxInterval: '15s' });
    expect(sleeps).toStrictEqual([10_000, 15_000, 15_000]);
  });

  test('waits as long as the service asks, also beyond the longest interval', async () => {
    const { sleeps } = await pollWith([busy({ retryAfterMs: 60_000 }), 'found'], { maxInterval: '15s' });
    expect(sleeps).toStrictEqual([60_000]);
  });

  test('never comes back sooner than its own backoff, even if the service would allow it', async () => {
    const { sleeps } = await pollWith([busy({ retryAfterMs: 5 }), 'found']);
    expect(sleeps).toStrictEqual([10_000]);
  });

  test('gives up after ten passing failures in a row and one more', async () => {
    const last = busy();
    const { error, checks, sleeps } = await pollWith([...Array.from({ length: 10 }, () => busy()), last, 'late']);
    expect(error).toBeInstanceOf(PollBudgetError);
    expect(error).toMatchObject({ failures: 11, cause: last, isRetryable: true });
    expect(checks).toBe(11);
    expect(sleeps).toHaveLength(10);
  });

  test('counts failures in a row only: a check that found nothing renews the budget', async () => {
    const answers = [busy(), busy(), undefined, busy(), busy(), 'found'];
    expect((await pollWith(answers, { maxFailures: 2 })).value).toBe('found');
    expect((await pollWith(answers, { maxFailures: 1 })).error).toBeInstanceOf(PollBudgetError);
  });

  test('bears no failure with a budget of none', async () => {
    expect((await pollWith([busy(), 'found'], { maxFailures: 0 })).error).toMatchObject({ failures: 1 });
  });

  test('passes on an error that does not pass, at once and as it is', async () => {
    const wrong = new Error('no such bucket');
    const { error, sleeps } = await pollWith([wrong, 'found']);
    expect(error).toBe(wrong);
    expect(sleeps).toStrictEqual([]);
  });

  test('asks the caller which errors pass', async () => {
    const odd = new Error('odd');
    const { value } = await pollWith([odd, 'found'], { isTransient: (error) => error === odd });
    expect(value).toBe('found');
    expect((await pollWith([busy(), 'found'], { isTransient: () => false })).error).toBeInstanceOf(Error);
  });

  test('cuts the sleep short so that there is a last look at the given instant', async () => {
    const { sleeps, host } = await pollWith([undefined, undefined, 'found'], { until: new Date(12_500) });
    expect(sleeps).toStrictEqual([10_000, 2_500]);
    expect(host.nowMs).toBe(12_500);
  });

  test('cuts the wait that a service asked for, too', async () => {
    const { sleeps } = await pollWith([busy({ retryAfterMs: 60_000 }), 'found'], { until: new Date(3_000) });
    expect(sleeps).toStrictEqual([3_000]);
  });

  test('ends after its last look when the instant has passed, with the failure of that look if it failed', async () => {
    const host = new FakeHost();
    host.nowMs = 5_000;
    const { error } = await pollWith([undefined, 'found'], { until: new Date(1_000) }, host);
    expect(error).toBeInstanceOf(PollTimeoutError);
    const failed = await pollWith([busy(), 'found'], { until: new Date(1_000) }, host);
    expect(String(failed.error)).toContain('The last check failed');
    expect(host.polls).toStrictEqual([]);
  });

  test('tells its host after each check what came of it and when the next follows', async () => {
    const failed = busy();
    const { host } = await pollWith([undefined, failed, 'found']);
    expect(host.polls).toStrictEqual([
      ['nothing', 10_000, undefined],
      ['failure', 10_000, failed],
      ['found', undefined],
    ]);
  });

  test('tells its host the wait as it will be, cut short', async () => {
    const { host } = await pollWith([undefined, 'found'], { until: new Date(3_000) });
    expect(host.polls[0]).toStrictEqual(['nothing', 3_000, undefined]);
  });

  test('warns of a failure that passes and says when it tries again', async () => {
    const { host } = await pollWith([busy(), 'found']);
    expect(host.warnings).toStrictEqual(['Check failed, trying again in 10000 ms: busy']);
  });

  test('ends when its sleep is aborted', async () => {
    const host = new FakeHost();
    host.sleep = async () => {
      throw new DOMException('Aborted.', 'AbortError');
    };
    expect((await pollWith([undefined, 'found'], {}, host)).error).toMatchObject({ name: 'AbortError' });
  });

  test('refuses an interval that is no duration', async () => {
    expect((await pollWith(['found'], { interval: 'often' as '1s' })).error).toMatchObject({ code: 'E_DURATION' });
  });
});

describe('pollIntervalMs', () => {
  test('stays the same without backoff', () => {
    expect([0, 1, 50].map((checks) => pollIntervalMs({ interval: '2s' }, checks))).toStrictEqual([2000, 2000, 2000]);
  });

  test('ends at ten minutes where no longest interval is given', () => {
    expect(pollIntervalMs({ interval: '1m', exponentialBackoff: true }, 20)).toBe(600_000);
  });

  test('is never shortened by backoff where it is longer than ten minutes', () => {
    expect(pollIntervalMs({ interval: '1h', exponentialBackoff: true }, 3)).toBe(3_600_000);
  });

  test('stays finite after very many checks', () => {
    const options = { interval: '1ms', exponentialBackoff: true, maxInterval: '1d' } as const;
    expect(pollIntervalMs(options, 1_000_000)).toBe(86_400_000);
  });
});
