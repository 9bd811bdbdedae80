import { TaskFailed } from '@windhover/core';
import { runOperator, testSensor } from '@windhover/core/testing';
import { startHttpJobs } from '@windhover/testing-services';
import { describe, expect, test } from 'vitest';
import { type HttpAnswer, HttpSensor } from '../src/index.ts';
import { scriptedJobs } from './scripted-jobs.ts';

const readiness = ({ data }: HttpAnswer) => {
  const { ready, error } = data;
  if (error) throw new TaskFailed(error);
  return { isDone: ready, xcom: 'ready' };
};

describe('HttpSensor', () => {
  const suite = testSensor({
    backend: scriptedJobs,
    sensor: (_backend, options) =>
      new HttpSensor({ httpConnId: 'jobs', endpoint: '/ready', responseCheck: readiness, ...options }),
  });
  for (const { name, run } of suite) test(name, run);

  test.each([
    ['404 means not yet', {}, 404, 'E_SENSOR_TIMEOUT'],
    ['unless the list says otherwise', { responseErrorCodesAllowlist: [] }, 404, 'E_HTTP_STATUS'],
    ['other statuses may be in the list', { responseErrorCodesAllowlist: [403, 404] }, 403, 'E_SENSOR_TIMEOUT'],
    ['a refusal fails at once', {}, 403, 'E_HTTP_STATUS'],
  ])('%s', async (_what, args, status, code) => {
    const jobs = await startHttpJobs();
    jobs.server.fail({ on: /./, times: 99, answer: { status } });
    const sensor = new HttpSensor({ taskId: 'wait', httpConnId: 'jobs', endpoint: '/ready', timeout: '3m', ...args });
    const run = await runOperator(sensor, { connections: { jobs: jobs.url } });
    expect(run.error!.code).toBe(code);
    await jobs.stop();
  });

  test('without a check, any answer ends the wait', async () => {
    const jobs = await startHttpJobs({ script: ['pending', 'done'] });
    const sensor = new HttpSensor({ taskId: 'wait', httpConnId: 'jobs', endpoint: '/ready' });
    expect((await runOperator(sensor, { connections: { jobs: jobs.url } })).state).toBe('success');
    await jobs.stop();
  });
});
