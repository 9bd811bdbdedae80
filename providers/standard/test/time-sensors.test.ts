import type { BaseSensor, SensorMode, SensorOptions } from '@windhover/core';
import { template } from '@windhover/core';
import { runOperator, VirtualClock } from '@windhover/core/testing';
import { describe, expect, test } from 'vitest';
import { DateTimeSensor, TimeDeltaSensor, TimeSensor, WaitSensor } from '../src/index.ts';

const MODES: readonly SensorMode[] = ['defer', 'poke', 'reschedule'];
// The run stands for 2026-01-01; it begins at the end of that day.
const began = new Date('2026-01-02T00:00:00.000Z');
const clock = () => new VirtualClock(began);

type Make = (options: SensorOptions & { taskId: string; retries?: number; startFromTrigger?: boolean }) => BaseSensor;
/** Each waits until half past one. */
const sensors: readonly (readonly [string, Make])[] = [
  ['DateTimeSensor', (options) => new DateTimeSensor({ ...options, targetTime: '2026-01-02T01:30:00Z' })],
  ['TimeSensor', (options) => new TimeSensor({ ...options, targetTime: '01:30' })],
  ['TimeDeltaSensor', (options) => new TimeDeltaSensor({ ...options, delta: '90m' })],
  ['WaitSensor', (options) => new WaitSensor({ ...options, timeToWait: { hours: 1, minutes: 30 } })],
];

describe.each(sensors)('%s', (_name, make) => {
  test.each(MODES)('waits until its instant and not longer, in mode %s', async (mode) => {
    const run = await runOperator(make({ taskId: 'wait', mode }), { clock: clock() });
    expect(run).toMatchObject({ state: 'success', elapsedMs: 5_400_000, result: new Date('2026-01-02T01:30:00Z') });
    expect(run.deferrals.length).toBe(mode === 'defer' ? 1 : 0);
  });

  test.each(MODES)('does not wait for what has passed, in mode %s', async (mode) => {
    // Began the evening before: only what counts from its own beginning still has to wait.
    const late = new VirtualClock(new Date('2026-01-02T12:00:00.000Z'));
    const run = await runOperator(make({ taskId: 'wait', mode }), { clock: late });
    expect(run.state).toBe('success');
    expect(run.elapsedMs).toBe(_name === 'WaitSensor' ? 5_400_000 : 0);
  });

  test('is a row of the database until its instant', async () => {
    const run = await runOperator(make({ taskId: 'wait' }), { clock: clock() });
    expect(run.deferrals[0]!.trigger).toMatchObject({
      classpath: '@windhover/core#DateTimeTrigger',
      notBefore: '2026-01-02T01:30:00.000Z',
      isShareable: true,
    });
  });

  test.each(MODES)('its timeout ends the wait without a retry, in mode %s', async (mode) => {
    const run = await runOperator(make({ taskId: 'wait', mode, timeout: '10m', retries: 2 }), { clock: clock() });
    expect(run).toMatchObject({ state: 'failed', tries: 1, elapsedMs: 600_000 });
  });

  test.each(MODES)('softFail skips instead, in mode %s', async (mode) => {
    const run = await runOperator(make({ taskId: 'wait', mode, timeout: '10m', softFail: true }), { clock: clock() });
    expect(run).toMatchObject({ state: 'skipped', elapsedMs: 600_000 });
  });

  test('restarts of the triggerer do not change when it ends', async () => {
    const run = await runOperator(make({ taskId: 'wait' }), { clock: clock(), restartTriggerEvery: '7m' });
    expect(run).toMatchObject({ state: 'success', elapsedMs: 5_400_000 });
  });

  test('can begin in the triggerer, without a worker', async () => {
    const run = await runOperator(make({ taskId: 'wait', startFromTrigger: true }), { clock: clock() });
    expect(run).toMatchObject({ state: 'success', elapsedMs: 5_400_000 });
    expect(run.deferrals[0]!.end).toBe('deferred');
  });
});

test('a target time may be a template', async () => {
  const targetTime = template(({ dataInterval }) => new Date(dataInterval.end.getTime() + 1_000));
  const run = await runOperator(new DateTimeSensor({ taskId: 'wait', targetTime }), { clock: clock() });
  expect(run).toMatchObject({ state: 'success', elapsedMs: 1_000 });
});

test.each([
  [new DateTimeSensor({ taskId: 'wait', targetTime: 'noon' }), 'no instant'],
  // Its meaning would depend on the machine.
  [new DateTimeSensor({ taskId: 'wait', targetTime: '2026-01-02T01:30:00' }), 'no instant'],
  [new DateTimeSensor({ taskId: 'wait', targetTime: '2026-01-02' }), 'no instant'],
  [new TimeSensor({ taskId: 'wait', targetTime: '25:00' }), 'no time of day'],
  [new TimeSensor({ taskId: 'wait', targetTime: '12:00', timezone: 'Mars/Olympus' }), 'Take an IANA name'],
])('a time that cannot be understood fails without a retry: %#', async (sensor, message) => {
  const run = await runOperator(sensor);
  expect(run).toMatchObject({ state: 'failed', tries: 1, error: { code: 'E_TASK_FAILED' } });
  expect(run.error!.message).toContain(message);
});

test('a TimeSensor waits by the clocks of its zone, on the day it began there', async () => {
  // In Auckland it is already the second of January, one in the afternoon.
  const run = await runOperator(new TimeSensor({ taskId: 'wait', targetTime: '13:30', timezone: 'Pacific/Auckland' }), {
    clock: clock(),
  });
  expect(run).toMatchObject({ state: 'success', result: new Date('2026-01-02T00:30:00Z'), elapsedMs: 1_800_000 });
});
