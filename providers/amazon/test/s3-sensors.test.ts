import { runOperator, VirtualClock } from '@windhover/core/testing';
import { S3KeySensor, S3KeysUnchangedSensor, S3PrefixSensor } from '@windhover/provider-amazon/s3';
import { describe, expect, test } from 'vitest';
import { connectionTo, isListing, isMissing, makeBucket, put, s3, startS3Proxy } from './support/s3-server.ts';

const connections = { aws_default: connectionTo() };

// Each names the defect of the original that it guards against; the numbers are those of reference D3.
describe.skipIf(isMissing)('S3KeySensor', () => {
  test('a checkFn that never agrees times out as a whole (1)', async () => {
    const bucketName = await makeBucket();
    await put(bucketName, 'a');
    const sensor = new S3KeySensor({
      taskId: 'wait',
      bucketName,
      bucketKey: 'a',
      checkFn: () => false,
      timeout: '10m',
    });
    expect(await runOperator(sensor, { connections })).toMatchObject({ state: 'failed', elapsedMs: 600_000 });
  });

  test.each(['defer', 'poke', 'reschedule'] as const)(
    'a checkFn sees only what the pattern matches, with one argument or two, in mode %s (2, 3)',
    async (mode) => {
      const bucketName = await makeBucket();
      await put(bucketName, 'in/a.csv', 'in/a.csv.part', 'in/b.txt');
      const seen: unknown[] = [];
      const clock = new VirtualClock();
      clock.at('5m', () => put(bucketName, 'in/b.csv'));
      const sensor = new S3KeySensor({
        taskId: 'wait',
        bucketName,
        bucketKey: 'in/.*\\.csv$',
        useRegex: true,
        checkFn: (files) => {
          seen.push(files.map(({ Key }) => Key));
          return files.length === 2;
        },
        mode,
      });
      const run = await runOperator(sensor, { connections, clock });
      expect(run).toMatchObject({ state: 'success', result: [`s3://${bucketName}/in/a.csv`] });
      expect(seen[0]).toEqual(['in/a.csv']);
      expect(seen.at(-1)).toEqual(['in/a.csv', 'in/b.csv']);
    },
  );

  test('a full URL with a checkFn needs no bucketName (4)', async () => {
    const bucketName = await makeBucket();
    await put(bucketName, 'in/a.csv');
    const sensor = new S3KeySensor({
      taskId: 'wait',
      bucketKey: `s3://${bucketName}/in/a.csv`,
      checkFn: (files) => files[0]?.Size === 8,
    });
    expect(await runOperator(sensor, { connections })).toMatchObject({ state: 'success' });
  });

  test('an object that vanishes between listing and closer look is waited for (5)', async () => {
    const bucketName = await makeBucket();
    await put(bucketName, 'a');
    let heads = 0;
    const proxy = await startS3Proxy(async ({ method }) => {
      if (method !== 'HEAD') return undefined;
      heads += 1;
      if (heads === 1) await s3.deleteObject({ Bucket: bucketName, Key: 'a' });
      return undefined;
    });
    const clock = new VirtualClock();
    clock.at('90s', () => put(bucketName, 'a'));
    const sensor = new S3KeySensor({
      taskId: 'wait',
      bucketName,
      bucketKey: 'a',
      metadataKeys: ['ContentType', 'Key'],
      checkFn: (files) => 'ContentType' in files[0]!,
    });
    const run = await runOperator(sensor, { clock, connections: { aws_default: connectionTo(proxy.endpoint) } });
    expect(run).toMatchObject({ state: 'success', elapsedMs: 120_000 });
    await proxy.stop();
  });

  test('what is stored of a waiting sensor is the same after each restart (6)', async () => {
    const bucketName = await makeBucket();
    const clock = new VirtualClock();
    clock.at('10m', () => put(bucketName, 'a'));
    const sensor = new S3KeySensor({ taskId: 'wait', bucketName, bucketKey: 'a', regionName: 'us-east-1' });
    const run = await runOperator(sensor, { connections, clock, restartTriggerEvery: '90s' });
    expect(run).toMatchObject({ state: 'success', tries: 1 });
    expect(run.deferrals.map(({ trigger }) => trigger.kwargs)).toEqual([
      {
        regionName: 'us-east-1',
        targets: [{ bucketName, key: 'a', match: 'exact' }],
        interval: '60s',
        checksBefore: 1,
        failuresBefore: 0,
      },
    ]);
  });

  test('throttling and broken connections are survived in mid-wait (7)', async () => {
    const bucketName = await makeBucket();
    let listings = 0;
    const proxy = await startS3Proxy((request) => {
      if (isListing(request)) listings += 1;
      if (listings === 2) return { status: 503, body: '<Error><Code>SlowDown</Code></Error>' };
      return listings === 3 ? 'reset' : undefined;
    });
    const clock = new VirtualClock();
    clock.at('10m', () => put(bucketName, 'a'));
    const sensor = new S3KeySensor({ taskId: 'wait', bucketName, bucketKey: 'a', clientConfig: { maxAttempts: 1 } });
    const run = await runOperator(sensor, { clock, connections: { aws_default: connectionTo(proxy.endpoint) } });
    expect(run).toMatchObject({ state: 'success', tries: 1 });
    await proxy.stop();
  });

  test('all of several keys must be there', async () => {
    const bucketName = await makeBucket();
    await put(bucketName, 'a');
    const clock = new VirtualClock();
    clock.at('5m', () => put(bucketName, 'b'));
    const sensor = new S3KeySensor({ taskId: 'wait', bucketName, bucketKey: ['a', 'b'] });
    const run = await runOperator(sensor, { connections, clock });
    expect(run.result).toEqual([`s3://${bucketName}/a`, `s3://${bucketName}/b`]);
  });

  test('a key that another one begins with is not taken for it', async () => {
    const bucketName = await makeBucket();
    await put(bucketName, 'a.csv.part', 'a.csv/nested');
    const sensor = new S3KeySensor({ taskId: 'wait', bucketName, bucketKey: 'a.csv', timeout: '5m' });
    expect(await runOperator(sensor, { connections })).toMatchObject({ state: 'failed' });
  });

  test.each(['defer', 'poke', 'reschedule'] as const)(
    'a missing bucket is an error and no wait, in mode %s',
    async (mode) => {
      const sensor = new S3KeySensor({ taskId: 'wait', bucketKey: 's3://no-such-bucket-here/a', mode });
      expect(await runOperator(sensor, { connections })).toMatchObject({
        state: 'failed',
        elapsedMs: 0,
        error: {
          message:
            'S3 ListObjectsV2 (Bucket "no-such-bucket-here") failed: NoSuchBucket. Check the name, the region and the account.',
        },
      });
    },
  );

  test('wrong credentials are an error and no wait', async () => {
    const wrong = { ...connectionTo(), password: 'WRONG' };
    const sensor = new S3KeySensor({ taskId: 'wait', bucketKey: 's3://bucket-x/a' });
    const { error } = await runOperator(sensor, { connections: { aws_default: wrong } });
    expect(error?.message).toContain('S3 ListObjectsV2 (Bucket "bucket-x") failed: SignatureDoesNotMatch');
    expect(error?.message).toContain('Check login (access key id) and password (secret access key)');
  });

  test('wildcardMatch and useRegex together are refused when the DAG is read', () => {
    expect(
      () => new S3KeySensor({ taskId: 'wait', bucketKey: 's3://b/*', wildcardMatch: true, useRegex: true }),
    ).toThrow('Task "wait" has a wrong option "useRegex": wildcardMatch is set, too; choose one.');
  });
});

describe.skipIf(isMissing)('S3PrefixSensor', () => {
  test('all of several prefixes must be there, and a neighbour does not count', async () => {
    const bucketName = await makeBucket();
    await put(bucketName, 'in/a', 'output/a');
    const clock = new VirtualClock();
    clock.at('5m', () => put(bucketName, 'out/a'));
    const sensor = new S3PrefixSensor({ taskId: 'wait', bucketName, prefix: ['in', 'out/'] });
    const run = await runOperator(sensor, { connections, clock });
    expect(run).toMatchObject({ elapsedMs: 300_000, result: [`s3://${bucketName}/in/`, `s3://${bucketName}/out/`] });
  });
});

describe.skipIf(isMissing)('S3KeysUnchangedSensor', () => {
  /** The whole story in each mode: what happens in the bucket after which time. */
  async function watch(
    happenings: Record<'4m' | '8m' | '12m', (bucket: string) => Promise<unknown>>,
    options: { mode: 'defer' | 'poke' | 'reschedule'; allowDelete?: boolean; restarts?: boolean },
  ) {
    const bucketName = await makeBucket();
    await put(bucketName, 'in/a', 'in/b');
    let listings = 0;
    const proxy = await startS3Proxy((request) => {
      if (isListing(request)) listings += 1;
      return undefined;
    });
    const clock = new VirtualClock();
    for (const [at, happen] of Object.entries(happenings))
      clock.at(at as '4m', async () => void (await happen(bucketName)));
    const { restarts, ...sensorOptions } = options;
    const sensor = new S3KeysUnchangedSensor({
      taskId: 'wait',
      bucketName,
      prefix: 'in/',
      inactivityPeriod: '5m',
      ...sensorOptions,
    });
    const run = await runOperator(sensor, {
      clock,
      connections: { aws_default: connectionTo(proxy.endpoint) },
      ...(restarts ? { restartTriggerEvery: '90s' as const } : {}),
    });
    await proxy.stop();
    return { ...run, listings };
  }

  const nothing = async () => {};
  const swap = async (Bucket: string) => {
    await put(Bucket, 'in/c');
    await s3.deleteObject({ Bucket, Key: 'in/a' });
  };
  const MODES = ['defer', 'poke', 'reschedule'] as const;

  test.each(MODES)('one added and one deleted is a change, in mode %s (2)', async (mode) => {
    const run = await watch({ '4m': swap, '8m': nothing, '12m': nothing }, { mode });
    expect(run).toMatchObject({ state: 'success', result: 2, elapsedMs: 9 * 60_000 });
  });

  test.each(MODES)('an object written again under its name is a change, in mode %s (3)', async (mode) => {
    const overwrite = (Bucket: string) => s3.putObject({ Bucket, Key: 'in/a', Body: 'other' });
    const run = await watch({ '4m': overwrite, '8m': overwrite, '12m': nothing }, { mode });
    expect(run).toMatchObject({ state: 'success', elapsedMs: 8 * 60_000 + 5 * 60_000 });
  });

  test.each(MODES)('it looks once in each interval, in mode %s (1)', async (mode) => {
    const run = await watch({ '4m': nothing, '8m': nothing, '12m': nothing }, { mode });
    expect(run).toMatchObject({ state: 'success', elapsedMs: 5 * 60_000, listings: 6 });
  });

  test('a restart of the triggerer keeps what was seen (4)', async () => {
    const run = await watch({ '4m': swap, '8m': nothing, '12m': nothing }, { mode: 'defer', restarts: true });
    expect(run.state).toBe('success');
    expect(run.elapsedMs).toBeLessThanOrEqual(11 * 60_000);
  });

  test.each(MODES)('a deletion fails it where none is allowed, in mode %s', async (mode) => {
    const run = await watch({ '4m': swap, '8m': nothing, '12m': nothing }, { mode, allowDelete: false });
    expect(run).toMatchObject({ state: 'failed', elapsedMs: 4 * 60_000 });
    expect(run.error?.message).toMatch(/^1 objects below s3:\/\/.* were deleted between two looks/);
  });
});
