import { afterEach, expect, test } from 'vitest';
import { AwsFault } from '../src/aws/aws-fault.ts';
import { type AwsJobsOptions, type AwsJobsServer, startAwsJobs } from '../src/aws/aws-jobs-server.ts';

let server: AwsJobsServer | undefined;
afterEach(() => server?.stop());

async function start(options: AwsJobsOptions = {}) {
  server = await startAwsJobs(options);
  const call = async (operation: string, input: object) => {
    const answer = await fetch(server!.endpoint, {
      method: 'POST',
      headers: { 'x-amz-target': `AmazonAthena.${operation}` },
      body: JSON.stringify(input),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, any> };
  };
  return { server, call };
}

test('a job goes its way, each look a step further', async () => {
  const { call } = await start();
  const { QueryExecutionId } = (await call('StartQueryExecution', {})).body;
  const state = async () =>
    (await call('GetQueryExecution', { QueryExecutionId })).body.QueryExecution.Status.State as string;
  expect([await state(), await state(), await state()]).toEqual(['RUNNING', 'SUCCEEDED', 'SUCCEEDED']);
});

test('the same token is the same job', async () => {
  const { server, call } = await start();
  const token = { ClientRequestToken: 'token' };
  expect(await call('StartQueryExecution', token)).toEqual(await call('StartQueryExecution', token));
  expect(server.jobs.submitted).toHaveLength(1);
});

test('a script may have failures that pass', async () => {
  const { server, call } = await start({ script: ['transient', 'failed'] });
  server.jobs.add('q');
  expect((await call('GetQueryExecution', { QueryExecutionId: 'q' })).status).toBe(503);
  const { body } = await call('GetQueryExecution', { QueryExecutionId: 'q' });
  expect(body.QueryExecution.Status).toEqual({ State: 'FAILED', StateChangeReason: 'Out of luck' });
});

test('an interceptor may refuse a request or cut its connection', async () => {
  const { call } = await start({
    intercept: ({ operation }) => (operation === 'StopQueryExecution' ? 'reset' : new AwsFault('Denied', 'No', 403)),
  });
  expect(await call('StartQueryExecution', {})).toEqual({
    status: 403,
    body: { __type: 'Denied', message: 'No', Message: 'No' },
  });
  await expect(call('StopQueryExecution', {})).rejects.toThrow('fetch failed');
});

test('an operation that it does not know is said to be unknown', async () => {
  const { call } = await start();
  expect((await call('MakeCoffee', {})).body.__type).toBe('UnknownOperationException');
});
