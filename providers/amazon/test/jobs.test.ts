import { type BaseOperator, bindArgs, type Context, Replay, render } from '@windhover/core';
import { runOperator, TestHost, until } from '@windhover/core/testing';
import { BatchOperator, BatchSensor } from '@windhover/provider-amazon/batch';
import { EcsRunTaskOperator, EcsTaskStateSensor } from '@windhover/provider-amazon/ecs';
import { EmrAddStepsOperator } from '@windhover/provider-amazon/emr';
import { LambdaInvokeFunctionOperator } from '@windhover/provider-amazon/lambda';
import { RedshiftDataOperator } from '@windhover/provider-amazon/redshift';
import { SageMakerTrainingOperator } from '@windhover/provider-amazon/sagemaker';
import {
  StepFunctionGetExecutionOutputOperator,
  StepFunctionStartExecutionOperator,
} from '@windhover/provider-amazon/step-functions';
import { AwsFault, type AwsJobsOptions, type AwsJobsServer, startAwsJobs } from '@windhover/testing-services';
import { afterEach, describe, expect, test } from 'vitest';
import { awsConnections, OVERRIDES } from './support/aws-backend.ts';

const servers: AwsJobsServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function start(options: AwsJobsOptions = {}) {
  const server = await startAwsJobs(options);
  servers.push(server);
  return { server, connections: awsConnections(server) };
}

const job = { taskId: 'job', jobName: 'job', jobDefinition: 'd', jobQueue: 'q', ...OVERRIDES };

describe('a kill', () => {
  test('cancels every step and every task that was started, once', async () => {
    const { server, connections } = await start({ script: ['pending'] });
    const steps = ['first', 'second'].map((Name) => ({ Name, HadoopJarStep: { Jar: 'command-runner.jar' } }));
    const emr = new EmrAddStepsOperator({ taskId: 'emr', jobFlowId: 'j-1', steps, ...OVERRIDES });
    await runOperator(emr, { connections, killAfter: '5m' });
    expect(server.jobs.cancelled).toEqual(['s-1', 's-2']);
    const ecs = new EcsRunTaskOperator({ taskId: 'ecs', cluster: 'c', taskDefinition: 't', count: 3, ...OVERRIDES });
    await runOperator(ecs, { connections, killAfter: '5m' });
    expect(server.jobs.cancelled.slice(2).sort()).toEqual(server.jobs.submitted.slice(2).sort());
  });

  test('on the worker cancels the job, also while it is being submitted', async () => {
    const { server, connections } = await start({ script: ['pending'], latencyMs: 30 });
    const { execution, kill } = await enter(new BatchOperator({ ...job, deferrable: false }), connections);
    await until(() => server.requests.length > 0, 'the job is being submitted');
    await kill();
    expect(server.jobs.cancelled).toEqual(['batch-1']);
    await expect(execution).rejects.toThrow('killed');
  });

  test('of a sensor cancels nothing: the job is not its own', async () => {
    const { server, connections } = await start({ script: ['pending'] });
    server.jobs.add('theirs');
    const sensor = new BatchSensor({ taskId: 'wait', jobId: 'theirs', ...OVERRIDES });
    await runOperator(sensor, { connections, killAfter: '5m' });
    expect(server.jobs.cancelled).toEqual([]);
  });

  test('of a job that has ended meanwhile is no error', async () => {
    const refuse = () => {
      throw new AwsFault('ClientException', 'Job has ended.');
    };
    const { connections } = await start({ script: ['pending'], handlers: { TerminateJob: refuse } });
    const run = await runOperator(new BatchOperator(job), { connections, killAfter: '5m' });
    expect(run.error?.message).toBe('The task was killed: user.');
    expect(run.log.at(-1)?.message).toContain('Did not cancel Batch job batch-1, which has ended');
  });
});

describe('a wait', () => {
  test('ends after waiterMaxAttempts, without a cancel, and a retry goes on with the same job', async () => {
    const { server, connections } = await start({ script: [...Array<'pending'>(8).fill('pending'), 'done'] });
    const operator = new BatchOperator({ ...job, waiterDelay: '10s', waiterMaxAttempts: 5, retries: 1 });
    const run = await runOperator(operator, { connections, restartTriggerEvery: '25s' });
    expect(run).toMatchObject({ state: 'success', tries: 2, result: 'batch-1' });
    expect([server.jobs.submitted.length, server.jobs.cancelled.length]).toEqual([1, 0]);
  });

  test('that ends in vain says what still runs and what to do', async () => {
    const { connections } = await start({ script: ['pending'] });
    const operator = new BatchOperator({ ...job, waiterDelay: '10s', waiterMaxAttempts: 5 });
    expect(await runOperator(operator, { connections })).toMatchObject({
      state: 'failed',
      elapsedMs: 50_000,
      error: {
        code: 'E_AWS_WAITER_TIMEOUT',
        message:
          'Batch job batch-1 had not ended after 50000 ms, which is waiterMaxAttempts (5) times waiterDelay. It still runs, ' +
          'and a retry waits for it again. Raise waiterMaxAttempts if this is normal.',
      },
    });
  });

  test('bears that the service does not know the job for a moment', async () => {
    let looks = 0;
    const { connections } = await start({
      handlers: {
        DescribeJobs: () => ({ jobs: ++looks > 3 ? [{ jobId: 'batch-1', status: 'SUCCEEDED' }] : [] }),
      },
    });
    expect(await runOperator(new BatchOperator(job), { connections })).toMatchObject({ state: 'success' });
  });

  test('is left out with waitForCompletion: false', async () => {
    const { server, connections } = await start();
    const operator = new BatchOperator({ ...job, waitForCompletion: false });
    expect(await runOperator(operator, { connections })).toMatchObject({ result: 'batch-1', deferrals: [] });
    expect(server.jobs.checks).toEqual([]);
  });

  test.each([
    ['throttled', { fault: () => new AwsFault('ThrottlingException', 'Rate exceeded', 400) }],
    ['429', { fault: () => new AwsFault('TooManyRequestsException', 'Slow down', 429) }],
    ['broken', { fault: () => new AwsFault('InternalFailure', 'Oops', 500) }],
    ['cut off', { fault: () => 'reset' as const }],
  ])('survives requests that are %s', async (_name, { fault }) => {
    let requests = 0;
    const { server, connections } = await start({
      intercept: ({ operation }) => (operation === 'DescribeJobs' && ++requests < 4 ? fault() : undefined),
    });
    expect(await runOperator(new BatchOperator(job), { connections })).toMatchObject({ state: 'success', tries: 1 });
    expect(server.jobs.submitted).toEqual(['batch-1']);
  });
});

test('a submission whose answer is lost is not paid twice where the service takes a token', async () => {
  let lost = 0;
  const { server, connections } = await start({
    handlers: {
      ExecuteStatement: ({ ClientToken }) => {
        const [Id] = server.jobs.submit('statement-', { token: ClientToken });
        if (++lost === 1) throw new AwsFault('InternalFailure', 'Accepted, and then lost', 500);
        return { Id };
      },
    },
  });
  const operator = new RedshiftDataOperator({
    taskId: 'sql',
    database: 'd',
    sql: 'select 1',
    retries: 1,
    ...OVERRIDES,
  });
  expect(await runOperator(operator, { connections })).toMatchObject({ state: 'success', tries: 2 });
  expect(server.jobs.submitted).toEqual(['statement-1']);
});

test('rows of a Redshift statement come from all pages, by the names of their columns', async () => {
  const { connections } = await start();
  const args = { taskId: 'sql', database: 'd', sql: 'select 1', ...OVERRIDES };
  const rows = await runOperator(new RedshiftDataOperator({ ...args, returnSqlResult: true }), { connections });
  expect(rows.result).toEqual([
    { id: 1, name: 'first' },
    { id: 2, name: null },
  ]);
  const several = new RedshiftDataOperator({ ...args, sql: ['select 1', 'select 2'] });
  expect((await runOperator(several, { connections })).result).toBe('statement-2');
});

describe('a SageMaker job whose name is taken', () => {
  const config = { TrainingJobName: 'train', RoleArn: 'role', OutputDataConfig: { S3OutputPath: 's3://models/' } };

  test('gets a name of its own', async () => {
    const { server, connections } = await start();
    server.jobs.add('train');
    const operator = new SageMakerTrainingOperator({ taskId: 'train', config, ...OVERRIDES });
    const run = await runOperator(operator, { connections });
    expect(run.result?.TrainingJobName).toMatch(/^train-[0-9a-f]{8}$/);
    expect(run.result?.TrainingJobStatus).toBe('Completed');
  });

  test('fails where that is asked for', async () => {
    const { server, connections } = await start();
    server.jobs.add('train');
    const operator = new SageMakerTrainingOperator({
      taskId: 'train',
      config,
      actionIfJobExists: 'fail',
      ...OVERRIDES,
    });
    expect((await runOperator(operator, { connections })).error?.message).toBe(
      'There is a SageMaker training job "train" already. Choose another name, or set actionIfJobExists: \'suffix\'.',
    );
  });
});

describe('ECS', () => {
  test('says which container failed, and how', async () => {
    const { connections } = await start({ script: ['failed'] });
    const operator = new EcsRunTaskOperator({ taskId: 'ecs', cluster: 'c', taskDefinition: 't', ...OVERRIDES });
    expect((await runOperator(operator, { connections })).error?.message).toBe(
      'ECS task c arn:aws:ecs:::task/1 ended as FAILED: container "main" ended with exit code 3 (Out of luck)',
    );
  });

  test('stops the tasks that did start when another could not', async () => {
    const { server, connections } = await start({
      handlers: {
        RunTask: () => ({ tasks: [{ taskArn: server.jobs.add('one') }], failures: [{ reason: 'RESOURCE:MEMORY' }] }),
      },
    });
    const operator = new EcsRunTaskOperator({
      taskId: 'ecs',
      cluster: 'c',
      taskDefinition: 't',
      count: 2,
      ...OVERRIDES,
    });
    expect((await runOperator(operator, { connections })).error?.message).toBe(
      'ECS did not start "t" on cluster "c": RESOURCE:MEMORY.',
    );
    expect(server.jobs.cancelled).toEqual(['one']);
  });

  test('a task that has stopped will not run any more', async () => {
    const { server, connections } = await start({ script: ['done'] });
    server.jobs.add('gone');
    const sensor = new EcsTaskStateSensor({ taskId: 'wait', cluster: 'c', task: 'gone', ...OVERRIDES });
    expect((await runOperator(sensor, { connections })).error?.message).toBe('ECS task c gone ended as STOPPED.');
  });
});

describe('Step Functions', () => {
  const stateMachineArn = 'arn:aws:states:eu-west-1:123456789012:stateMachine:machine';

  test('the output of an execution is read as JSON', async () => {
    const { connections } = await start();
    const run = await runOperator(
      new StepFunctionStartExecutionOperator({ taskId: 's', stateMachineArn, ...OVERRIDES }),
      {
        connections,
      },
    );
    const executionArn = run.result!;
    const output = new StepFunctionGetExecutionOutputOperator({ taskId: 'o', executionArn, ...OVERRIDES });
    expect((await runOperator(output, { connections })).result).toEqual({ rows: 2 });
  });

  test('a failed execution is redriven by its name', async () => {
    const { server, connections } = await start();
    const args = { taskId: 's', stateMachineArn, isRedriveExecution: true, ...OVERRIDES };
    const run = await runOperator(new StepFunctionStartExecutionOperator({ ...args, name: 'nightly' }), {
      connections,
    });
    expect(run.result).toBe('arn:aws:states:eu-west-1:123456789012:execution:machine:nightly');
    expect(server.requests[0]!.operation).toBe('RedriveExecution');
    const nameless = await runOperator(new StepFunctionStartExecutionOperator(args), { connections });
    expect(nameless.error?.message).toBe(
      'Task "s" has a wrong option "isRedriveExecution": it needs the `name` to redrive.',
    );
  });
});

describe('Lambda', () => {
  test('the result is what the function returns', async () => {
    const { connections } = await start();
    const operator = new LambdaInvokeFunctionOperator({
      taskId: 'l',
      functionName: 'f',
      payload: { ü: 1 },
      ...OVERRIDES,
    });
    expect((await runOperator(operator, { connections })).result).toEqual({ ü: 1 });
    const event = new LambdaInvokeFunctionOperator({
      taskId: 'l',
      functionName: 'f',
      invocationType: 'Event',
      ...OVERRIDES,
    });
    expect(await runOperator(event, { connections })).toMatchObject({ state: 'success', result: undefined });
  });

  test('a function that fails fails the task, and a retry calls it again', async () => {
    const { server, connections } = await start();
    const operator = new LambdaInvokeFunctionOperator({
      taskId: 'l',
      functionName: 'broken',
      retries: 1,
      ...OVERRIDES,
    });
    const run = await runOperator(operator, { connections });
    expect(run.error?.message).toBe(
      'Lambda function "broken" failed (Unhandled): {"errorMessage":"Out of luck","errorType":"Error"}',
    );
    expect(server.jobs.submitted).toHaveLength(2);
  });

  test('a call that was throttled is repeated, one whose answer was lost is not', async () => {
    let calls = 0;
    const { server, connections } = await start({
      intercept: () => (++calls === 1 ? new AwsFault('TooManyRequestsException', 'Slow down', 429) : undefined),
    });
    const make = () => new LambdaInvokeFunctionOperator({ taskId: 'l', functionName: 'f', awsConnId: 'aws_test' });
    expect(await runOperator(make(), { connections })).toMatchObject({ state: 'success' });
    expect(server.requests).toHaveLength(2);
    const cut = await start({ intercept: () => 'reset' });
    expect(await runOperator(make(), { connections: cut.connections })).toMatchObject({ state: 'failed' });
    expect(cut.server.requests).toHaveLength(1);
  });
});

/** Enters an operator as a worker does, and lets it be killed there. */
async function enter(operator: BaseOperator<any, any>, connections: ReturnType<typeof awsConnections>) {
  const host = new TestHost({ connections });
  const stop = new AbortController();
  const replay = new Replay({ taskId: operator.taskId, hop: 0, records: [], save: async () => {} });
  const context: Context = host.context(operator, { tryNumber: 1, signal: stop.signal }, replay);
  const view = bindArgs(operator, await render(operator.args, context));
  const execution = Promise.resolve(view.execute(context));
  execution.catch(() => {});
  const kill = async () => {
    stop.abort(new Error('killed'));
    await view.onKill(context, 'user');
  };
  return { execution, kill };
}
