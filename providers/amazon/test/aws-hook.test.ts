import { Connection, type ConnectionFields, ConnectionNotFoundError } from '@windhover/core';
import { runOperator, VirtualClock } from '@windhover/core/testing';
import { AthenaOperator } from '@windhover/provider-amazon/athena';
import { AwsHook } from '@windhover/provider-amazon/aws';
import { BatchOperator, BatchSensor, batchService } from '@windhover/provider-amazon/batch';
import { S3KeySensor } from '@windhover/provider-amazon/s3';
import { AwsFault, type AwsJobsServer, startAwsJobs } from '@windhover/testing-services';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let aws: AwsJobsServer;
beforeAll(async () => {
  aws = await startAwsJobs();
});
afterAll(() => aws.stop());

const connection = (fields: Partial<ConnectionFields> = {}): ConnectionFields => ({
  connType: 'aws',
  login: 'AKTEST',
  password: 'SKTEST',
  ...fields,
  extra: { endpointUrl: aws.endpoint, regionName: 'eu-west-1', ...fields.extra },
});

const sourceOf = (fields: ConnectionFields) => ({ connection: async (id: string) => new Connection(id, fields) });

async function callerOf(fields: ConnectionFields, options = {}) {
  const before = aws.requests.length;
  await (await new AwsHook(sourceOf(fields), options, batchService).client()).describeJobs({ jobs: ['unknown'] });
  return aws.requests.slice(before).map(({ operation, accessKeyId, region }) => [operation, accessKeyId, region]);
}

describe('AwsHook', () => {
  test('keys and region come from the connection', async () => {
    expect(await callerOf(connection())).toEqual([['DescribeJobs', 'AKTEST', 'eu-west-1']]);
  });

  test('the region of the task comes first', async () => {
    expect(await callerOf(connection(), { regionName: 'us-west-2' })).toEqual([
      ['DescribeJobs', 'AKTEST', 'us-west-2'],
    ]);
  });

  test('a role is assumed, once for many hooks', async () => {
    const fields = connection({ extra: { roleArn: 'arn:aws:iam::123456789012:role/loader', externalId: 'x' } });
    expect(await callerOf(fields)).toEqual([
      ['AssumeRole', 'AKTEST', 'eu-west-1'],
      ['DescribeJobs', 'ASIALOADER', 'eu-west-1'],
    ]);
    expect(await callerOf(fields)).toEqual([['DescribeJobs', 'ASIALOADER', 'eu-west-1']]);
  });

  test('without a connection the credentials of the machine are taken', async () => {
    const saved = { ...process.env };
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: 'AKMACHINE',
      AWS_SECRET_ACCESS_KEY: 'SK',
      AWS_REGION: 'ap-south-1',
      AWS_ENDPOINT_URL: aws.endpoint,
    });
    try {
      const source = { connection: (id: string) => Promise.reject(new ConnectionNotFoundError(id)) };
      const batch = await new AwsHook(source, { awsConnId: null }, batchService).client();
      await batch.describeJobs({ jobs: ['unknown'] });
      expect(aws.requests.at(-1)).toMatchObject({ accessKeyId: 'AKMACHINE', region: 'ap-south-1' });
    } finally {
      process.env = saved;
    }
  });

  test('hooks that are set up alike share a client, others do not', async () => {
    const client = (fields: ConnectionFields, options = {}) =>
      new AwsHook(sourceOf(fields), options, batchService).client();
    expect(await client(connection())).toBe(await client(connection()));
    expect(await client(connection())).not.toBe(await client(connection({ password: 'other' })));
    expect(await client(connection())).not.toBe(await client(connection(), { regionName: 'us-west-2' }));
  });

  test('the connection test says as whom we are known', async () => {
    expect(await new AwsHook(sourceOf(connection()), 'aws_default').testConnection()).toEqual({
      isSuccess: true,
      message: 'Signed in as arn:aws:iam::123456789012:user/AKTEST.',
    });
  });
});

describe('what is wrong is said', () => {
  const job = { taskId: 'job', jobName: 'job', jobDefinition: 'd', jobQueue: 'q', clientConfig: { maxAttempts: 1 } };
  const messageOf = async (fields: ConnectionFields) =>
    (await runOperator(new BatchOperator(job), { connections: { aws_default: fields } })).error?.message;

  test('wrong credentials', async () => {
    expect(await messageOf(connection({ login: 'WRONG' }))).toBe(
      'Batch SubmitJob (jobName "job") failed: UnrecognizedClientException: The security token included in the request is ' +
        'invalid. Check login (access key id) and password (secret access key) of connection "aws_default", or its role and profile.',
    );
  });

  test('an expired token', async () => {
    expect(await messageOf(connection({ login: 'EXPIRED' }))).toBe(
      'Batch SubmitJob (jobName "job") failed: ExpiredTokenException: The security token included in the request is expired. ' +
        'Put fresh credentials into connection "aws_default"; a roleArn there renews them by itself.',
    );
  });

  test('an unreachable host', async () => {
    expect(await messageOf(connection({ extra: { endpointUrl: 'http://127.0.0.1:1' } }))).toBe(
      'Batch SubmitJob (jobName "job") failed: ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1. Check the network, and the ' +
        'endpointUrl http://127.0.0.1:1 of connection "aws_default".',
    );
  });

  test('no region', async () => {
    const hook = new AwsHook(
      sourceOf({ connType: 'aws', login: 'AK', password: 'SK' }),
      { clientConfig: { maxAttempts: 1 } },
      batchService,
    );
    const saved = { ...process.env };
    process.env.AWS_CONFIG_FILE = '/dev/null';
    delete process.env.AWS_REGION;
    try {
      await expect(async () => (await hook.client()).describeJobs({ jobs: ['b-1'] })).rejects.toThrow(
        'Set regionName of connection "aws_default" or of the task, or AWS_REGION.',
      );
    } finally {
      process.env = saved;
    }
  });

  test('an unknown job', async () => {
    const sensor = new BatchSensor({ taskId: 'wait', jobId: 'b-404' });
    expect((await runOperator(sensor, { connections: { aws_default: connection() } })).error?.message).toBe(
      'AWS knows no Batch job b-404. Check the id, the region and the account; jobs are forgotten some time after their end.',
    );
  });

  test('a malformed URL', async () => {
    const messageFor = async (bucketKey: string, bucketName?: string) => {
      const sensor = new S3KeySensor({ taskId: 'wait', bucketKey, bucketName });
      return (await runOperator(sensor, { connections: { aws_default: connection() } })).error?.message;
    };
    const advice = 'Write s3://bucket/key, or a key and bucketName beside it.';
    expect(await messageFor('in/a.csv')).toBe(
      `"in/a.csv" does not name anything in S3: it is a key without a bucket. ${advice}`,
    );
    expect(await messageFor('gs://bucket/a')).toBe(
      `"gs://bucket/a" does not name anything in S3: it does not begin with s3://. ${advice}`,
    );
    expect(await messageFor('s3:///a')).toBe(
      `"s3:///a" does not name anything in S3: "" is no name of a bucket. ${advice}`,
    );
    expect(await messageFor('s3://b1/a', 'b2')).toBe(
      `"s3://b1/a" does not name anything in S3: it has a bucket of its own beside bucketName "b2". ${advice}`,
    );
  });

  test('a missing connection', async () => {
    const { error } = await runOperator(new BatchOperator(job), { connections: {} });
    expect(error?.message).toContain('There is no connection "aws_default".');
  });

  test.each([
    [{ extra: { region_name: 'eu-west-1' } }, 'wrong field "region_name": there is no such field; write regionName.'],
    [{ extra: { color: 'red' } }, 'wrong field "color": there is no such field; there are endpointUrl, externalId,'],
    [
      { extra: { endpointUrl: 'nonsense' } },
      'wrong field "endpointUrl": it is not a URL such as https://s3.example.com.',
    ],
    [{ password: '' }, 'wrong field "password": it is empty although login is set; an access key has both parts.'],
  ])('a connection with %j', async (fields, message) => {
    expect(await messageOf(connection(fields as Partial<ConnectionFields>))).toContain(
      `Connection "aws_default" has a ${message}`,
    );
  });

  test('no message shows the secret', async () => {
    expect(await messageOf(connection({ login: 'WRONG', password: 'TOP-SECRET' }))).not.toContain('TOP-SECRET');
  });
});

test('a token that expires in mid-wait and is replaced in the connection does not fail the task', async () => {
  const clock = new VirtualClock();
  const isAfter = (minutes: number) => clock.now().getTime() >= Date.parse('2026-01-01') + minutes * 60_000;
  const server = await startAwsJobs({
    script: ['pending', 'pending', 'pending', 'pending', 'done'],
    intercept: ({ accessKeyId }) =>
      accessKeyId === 'AKOLD' && isAfter(1) ? new AwsFault('ExpiredTokenException', 'It has expired') : undefined,
  });
  const operator = new AthenaOperator({ taskId: 'query', query: 'select 1', database: 'd' });
  const run = await runOperator(operator, {
    clock,
    connections: {
      get aws_default() {
        return connection({ login: isAfter(2) ? 'AKNEW' : 'AKOLD', extra: { endpointUrl: server.endpoint } });
      },
    },
  });
  expect(run).toMatchObject({ state: 'success', tries: 1 });
  expect(server.jobs.submitted).toHaveLength(1);
  expect(new Set(server.requests.map(({ accessKeyId }) => accessKeyId))).toEqual(new Set(['AKOLD', 'AKNEW']));
  await server.stop();
});
