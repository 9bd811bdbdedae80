import { MemorySignalService, runOperator, VirtualClock } from '@windhover/core/testing';
import { expect, test } from 'vitest';
import { WebhookSensor } from '../src/webhook/webhook-sensor.ts';
import { webhookSignalKey } from '../src/webhook/webhook-trigger.ts';

const call = { method: 'POST', headers: {}, query: {}, body: { approved: true } };
const task = { dagId: 'test_dag', runId: 'manual__2026-01-01T00:00:00.000Z', taskId: 'approval', mapIndex: -1 };

test('it waits until its URL is called, over restarts, and gives the call', async () => {
  const signalService = new MemorySignalService();
  const clock = new VirtualClock();
  clock.at('3h', async () => void (await signalService.sendSignal(webhookSignalKey({ ...task, attempt: 1 }), call)));
  // Something must make the virtual time pass.
  void clock.sleep(4 * 3_600_000);
  const sensor = new WebhookSensor({ taskId: 'approval' });
  const run = await runOperator(sensor, { clock, signalService, restartTriggerEvery: '1h' });
  expect(run).toMatchObject({ state: 'success', result: call, elapsedMs: 3 * 3_600_000 });
});

test('a call that came before the task waits for it counts, one of an attempt before does not', async () => {
  const signalService = new MemorySignalService();
  await signalService.sendSignal(webhookSignalKey({ ...task, attempt: 1 }), call);
  const options = { signalService, killAfter: '1h' as const };
  expect((await runOperator(new WebhookSensor({ taskId: 'approval' }), options)).state).toBe('success');
  const other = new MemorySignalService();
  await other.sendSignal(webhookSignalKey({ ...task, attempt: 2 }), call);
  const late = new WebhookSensor({ taskId: 'approval', timeout: '1h' });
  const run = await runOperator(late, { signalService: other });
  expect(run).toMatchObject({ state: 'failed', error: { code: 'E_DEFERRAL_TIMEOUT' } });
});
