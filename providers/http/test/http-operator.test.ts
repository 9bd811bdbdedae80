import { template } from '@windhover/core';
import { type RunOperatorOptions, runOperator } from '@windhover/core/testing';
import { type HttpJobs, startHttpJobs } from '@windhover/testing-services';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HttpAnswer, HttpOperator } from '../src/index.ts';

let jobs: HttpJobs;
beforeEach(async () => {
  jobs = await startHttpJobs();
});
afterEach(() => jobs.stop());

const run = (args: Partial<ConstructorParameters<typeof HttpOperator>[0]>, options: RunOperatorOptions = {}) =>
  runOperator(new HttpOperator({ taskId: 'ask', endpoint: '/jobs', ...args } as never), {
    connections: { http_default: jobs.url },
    ...options,
  });

test('sends its data as JSON and returns what was answered', async () => {
  const { state, result } = await run(
    { data: { month: template(({ conf }) => conf.month!) } },
    { conf: { month: 'May' } },
  );
  expect([state, result]).toEqual(['success', { id: 'job-1' }]);
  const [request] = jobs.server.requests;
  expect(request).toMatchObject({ method: 'POST', path: '/jobs', headers: { 'content-type': 'application/json' } });
  expect(JSON.parse(request!.body.toString())).toEqual({ month: 'May' });
});

test('sends a text as it is, and headers and query as given', async () => {
  await run({ data: 'a=b', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, params: { dry: true } });
  const [request] = jobs.server.requests;
  expect(request!.body.toString()).toBe('a=b');
  expect(request!.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(request!.query.get('dry')).toBe('true');
});

describe('paging', () => {
  const pages = {
    method: 'GET',
    endpoint: '/items',
    paginationFunction: ({ data }: HttpAnswer) => (data.next ? { params: { page: data.next } } : null),
  } as const;

  test('goes from page to page until there is no next one', async () => {
    const { result } = await run({
      ...pages,
      responseFilter: (answers) => answers.flatMap(({ data }) => data.items),
    });
    expect(result).toEqual([1, 2, 3, 4, 5, 6].map((id) => ({ id })));
    expect(jobs.server.count(/^GET/)).toBe(3);
  });

  test('gives one entry for each page, where nothing else is asked for', async () => {
    expect((await run(pages)).result).toHaveLength(3);
  });

  test('bears failures that pass on every page', async () => {
    jobs.server.fail({ on: /page=2/, answer: 'reset' });
    jobs.server.fail({ on: /page=3/, answer: { status: 503 } });
    const { state, result, tries } = await run(pages);
    expect([state, tries, (result as unknown[]).length]).toEqual(['success', 1, 3]);
    expect(jobs.server.count(/^GET/)).toBe(5);
  });
});

describe('a failure that passes', () => {
  test('is tried again as late as the server asks', async () => {
    jobs.server.fail({ on: /./, answer: { status: 429, headers: { 'retry-after': '20' } } });
    const { state, elapsedMs } = await run({ method: 'GET', endpoint: '/items' });
    expect([state, elapsedMs]).toEqual(['success', 20_000]);
  });

  test('is tried again at doubling intervals, and then given up', async () => {
    jobs.server.fail({ on: /./, times: 99, answer: { status: 503 } });
    const { error, elapsedMs } = await run({ method: 'GET', endpoint: '/items' });
    expect(error).toMatchObject({ code: 'E_POLL_BUDGET' });
    expect([jobs.server.count(/./), elapsedMs]).toEqual([4, 7_000]);
  });

  test('is tried again as often as the policy says', async () => {
    jobs.server.fail({ on: /./, times: 99, answer: { status: 503 } });
    await run({ method: 'GET', endpoint: '/items', retry: { maxFailures: 1 } });
    expect(jobs.server.count(/./)).toBe(2);
  });

  test('does not repeat a POST that may have been done', async () => {
    jobs.server.fail({ on: /^POST/, answer: 'loseAnswer' });
    const { state, error } = await run({});
    expect([state, error!.code]).toEqual(['failed', 'E_HTTP_UNREACHABLE']);
    expect(jobs.submitted()).toEqual(['job-1']);
  });

  test('repeats a POST that the server refused to take now', async () => {
    jobs.server.fail({ on: /^POST/, answer: { status: 429 } });
    expect((await run({})).state).toBe('success');
  });

  test('repeats a POST that carries a key of its own', async () => {
    jobs.server.fail({ on: /^POST/, answer: 'loseAnswer' });
    expect((await run({ headers: { 'Idempotency-Key': 'k' } })).result).toEqual({ id: 'job-1' });
    expect(jobs.submitted()).toEqual(['job-1']);
  });
});

test('an answer that does not pass its check fails the task', async () => {
  const { error } = await run({ responseCheck: () => false });
  expect(error!.message).toBe('The answer to /jobs (status 201) did not pass the responseCheck.');
});
