import { type Context, eq, TaskDeferred } from '@windhover/core';
import { runOperator, testJobOperator, testTrigger, until } from '@windhover/core/testing';
import { type HttpJobs, startHttpJobs } from '@windhover/testing-services';
import { afterEach, describe, expect, test } from 'vitest';
import { HttpJobOperator, HttpJobTrigger } from '../src/index.ts';
import { scriptedJobs } from './scripted-jobs.ts';

const job = {
  httpConnId: 'jobs',
  submit: { endpoint: '/jobs', data: { month: '2026-01' } },
  status: { endpoint: '/jobs/{handle}' },
  isDone: eq('status', 'done'),
  isFailed: eq('status', 'failed'),
  result: { endpoint: '/jobs/{handle}/result' },
  cancel: { endpoint: '/jobs/{handle}' },
} as const;

describe('HttpJobOperator', () => {
  const suite = testJobOperator({
    backend: scriptedJobs,
    interval: '10s',
    events: [
      { status: 'done', data: { id: 'job-1', status: 'done' } },
      { status: 'failed', data: { id: 'job-1', status: 'failed', error: 'out of paper' } },
    ],
    operator: (_backend, options) => new HttpJobOperator({ ...job, ...options }),
  });
  for (const { name, run } of suite) test(name, run);
});

describe('HttpJobTrigger', () => {
  const suite = testTrigger({
    load: (specifier) => import(specifier),
    backend: async (script, clock) => {
      const backend = await scriptedJobs(script, clock);
      await fetch(`${backend.url}/jobs`, { method: 'POST' });
      return backend;
    },
    interval: '10s',
    trigger: () =>
      new HttpJobTrigger({
        handle: 'job-1',
        httpConnId: 'jobs',
        status: { endpoint: '/jobs/{handle}' },
        isDone: eq('status', 'done'),
        isFailed: eq('status', 'failed'),
        cancel: { endpoint: '/jobs/{handle}', method: 'DELETE' },
        interval: '10s',
      }),
  });
  for (const { name, run } of suite) test(name, run);
});

describe('a job', () => {
  let jobs: HttpJobs | undefined;
  afterEach(() => jobs?.stop());
  const start = async (script: Parameters<typeof startHttpJobs>[0] = {}) => {
    jobs = await startHttpJobs(script);
    return { jobs, connections: { jobs: jobs.url } };
  };

  test('gives the result that was fetched when it was done', async () => {
    const { connections } = await start({ script: ['pending', 'done'] });
    const operator = new HttpJobOperator({ taskId: 'report', ...job, responseFilter: ({ input }) => input.month });
    expect(await runOperator(operator, { connections })).toMatchObject({ state: 'success', result: '2026-01' });
  });

  test('gives what the service said in the end, where there is no result to fetch', async () => {
    const { connections } = await start();
    const { result: _none, ...withoutResult } = job;
    const run = await runOperator(new HttpJobOperator({ taskId: 'report', ...withoutResult }), { connections });
    expect(run.result).toEqual({ id: 'job-1', status: 'done' });
  });

  test('that has failed says what the service said', async () => {
    const { connections } = await start({ script: ['failed'] });
    const run = await runOperator(new HttpJobOperator({ taskId: 'report', ...job }), { connections });
    expect(run.error).toMatchObject({ code: 'E_JOB_FAILED' });
    expect(run.error!.message).toBe(
      'Job "job-1" of connection "jobs" has failed: {"id":"job-1","status":"failed","error":"out of paper"}',
    );
  });

  test('is submitted once although the answer to its submission was lost', async () => {
    const { jobs, connections } = await start();
    jobs.server.fail({ on: /^POST/, answer: 'loseAnswer' });
    const run = await runOperator(new HttpJobOperator({ taskId: 'report', ...job }), { connections });
    expect([run.state, run.tries]).toEqual(['success', 1]);
    expect([jobs.server.count(/^POST/), jobs.submitted().length]).toEqual([2, 1]);
  });

  test('that the service no longer knows fails for good, and says which', async () => {
    const { jobs, connections } = await start({ script: ['pending'] });
    jobs.server.fail({
      on: /^GET \/jobs/,
      after: 1,
      times: 99,
      answer: { status: 404, body: { error: 'no such job' } },
    });
    const run = await runOperator(new HttpJobOperator({ taskId: 'report', ...job, retries: 2 }), { connections });
    expect(run).toMatchObject({ state: 'failed', tries: 1, error: { code: 'E_HTTP_STATUS' } });
    expect(run.error!.message).toMatch(/^GET http.*\/jobs\/job-1 was answered with 404: {"error":"no such job"}/);
  });

  test('that has no name in the answer fails with what was answered', async () => {
    const { jobs, connections } = await start();
    jobs.server.fail({ on: /^POST/, answer: { body: { ok: true } } });
    const run = await runOperator(new HttpJobOperator({ taskId: 'report', ...job }), { connections });
    expect(run.error!.message).toContain('does not say what the job is called: {"ok":true}. Pass `handle`');
  });

  test('may be named by the URL that the service answers', async () => {
    const { jobs, connections } = await start();
    jobs.server.fail({
      on: /^POST/,
      answer: { status: 202, headers: { location: `${jobs.url}/ready` } },
    });
    const run = await runOperator(
      new HttpJobOperator({
        taskId: 'report',
        httpConnId: 'jobs',
        submit: { endpoint: '/jobs' },
        handle: ({ headers }) => headers.location!,
        status: { endpoint: '{handle}' },
        isDone: eq('ready', true),
        cancel: null,
      }),
      { connections },
    );
    expect(run).toMatchObject({ state: 'success', result: { ready: true } });
  });

  test('of a task that is killed while it holds its worker is cancelled', async () => {
    const { jobs, connections } = await start({ script: ['pending'] });
    const { operator, context, abort } = onWorker(connections.jobs, { deferrable: false });
    const ended = operator.execute(context);
    // It rejects while the kill is still under way.
    ended.catch(() => {});
    await until(() => jobs.checks().length > 0, 'the job was looked at');
    abort(new Error('killed'));
    await operator.onKill(context);
    await expect(ended).rejects.toThrow('killed');
    expect(jobs.cancelled()).toEqual(['job-1']);
  });

  test('is cancelled although the first request for it fails in a way that passes', async () => {
    const { jobs, connections } = await start({ script: ['pending'] });
    const { operator, context, abort } = onWorker(connections.jobs);
    await expect(operator.execute(context)).rejects.toBeInstanceOf(TaskDeferred);
    jobs.server.fail({ on: /^DELETE/, answer: 'reset' });
    abort(new Error('killed'));
    await operator.onKill(context);
    expect(jobs.cancelled()).toEqual(['job-1']);
  });

  test('that has ended, or is gone, can be cancelled again without an error', async () => {
    const { jobs, connections } = await start({ script: ['pending'] });
    const { operator, context } = onWorker(connections.jobs);
    await expect(operator.execute(context)).rejects.toBeInstanceOf(TaskDeferred);
    for (const status of [404, 409, 410]) {
      jobs.server.fail({ on: /^DELETE/, answer: { status } });
      await operator.onKill(context);
    }
    expect([jobs.server.count(/^DELETE/), jobs.cancelled().length]).toEqual([3, 0]);
  });

  test('of a service that cannot cancel is left alone', async () => {
    const { jobs, connections } = await start({ script: ['pending'] });
    const run = await runOperator(new HttpJobOperator({ taskId: 'report', ...job, cancel: null }), {
      connections,
      killAfter: '1m',
    });
    expect([run.state, jobs.server.count(/^DELETE/)]).toEqual(['failed', 0]);
  });
});

/** The operator on a worker, in real time, with a signal that can abort. */
function onWorker(url: string, options: { deferrable?: boolean } = {}) {
  const controller = new AbortController();
  const { signal } = controller;
  const context = {
    signal,
    now: () => new Date(),
    log: { info: () => {}, warning: () => {} },
    connection: async (connId: string) => (await import('@windhover/core')).Connection.fromUri(connId, url),
    step: async (_name: string, run: () => unknown) => run(),
    poll: async (check: () => Promise<unknown>) => {
      for (;;) {
        const found = await check();
        if (found !== undefined) return found;
        await new Promise((resolve) => setTimeout(resolve, 5));
        signal.throwIfAborted();
      }
    },
  };
  const operator = new HttpJobOperator({ taskId: 'report', ...job, ...options });
  return { operator, context: context as unknown as Context, abort: (reason: Error) => controller.abort(reason) };
}
