import { canonicalize } from '@windhover/core';
import { runOperator, runTrigger, TestHost, VirtualClock } from '@windhover/core/testing';
import { S3KeySensor, S3KeyTrigger, type S3KeyTriggerKwargs } from '@windhover/provider-amazon/s3';
import { describe, expect, test } from 'vitest';
import { connectionTo, isListing, isMissing, makeBucket, put, startS3Proxy } from './support/s3-server.ts';

const COUNT = 1_000;

describe.skipIf(isMissing)('a thousand sensors', () => {
  test('on different keys of one folder cost one listing in each interval', async () => {
    const bucketName = await makeBucket();
    const proxy = await startS3Proxy();
    const clock = new VirtualClock();
    // One host is one runner of a triggerer: what `shared` shares is shared in it.
    const host = new TestHost({ clock, connections: { aws_default: connectionTo(proxy.endpoint) } });
    const keys = Array.from({ length: COUNT }, (_, index) => `in/${index}.csv`);
    clock.at({ minutes: 59, seconds: 30 }, () => put(bucketName, ...keys));
    const ends = keys.map((key) => runTrigger(S3KeyTrigger, storedForm({ bucketName, key }), { host }));
    const results = await Promise.all(ends);
    expect(results.every(({ type }) => type === 'success')).toBe(true);
    const listings = proxy.requests.filter(isListing).length;
    // Sixty intervals of a minute; a listing is one page here, and there is no other request.
    expect(listings).toBe(60);
    expect(proxy.requests.length).toBe(listings);
    await proxy.stop();
  }, 60_000);

  test('on the same key store equal triggers that say they may be shared', async () => {
    const bucketName = await makeBucket();
    const connections = { aws_default: connectionTo() };
    const stored = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const sensor = new S3KeySensor({ taskId: `wait_${index}`, bucketName, bucketKey: 'a', timeout: '2m' });
        return (await runOperator(sensor, { connections })).deferrals[0]!.trigger;
      }),
    );
    expect(new Set(stored.map((trigger) => canonicalize(trigger))).size).toBe(1);
    expect(stored[0]!.isShareable).toBe(true);
  });

  test('alone in its folder a sensor looks for its own key only', async () => {
    const bucketName = await makeBucket();
    const proxy = await startS3Proxy();
    const clock = new VirtualClock();
    const host = new TestHost({ clock, connections: { aws_default: connectionTo(proxy.endpoint) } });
    clock.at('90s', () => put(bucketName, 'in/a.csv'));
    await runTrigger(S3KeyTrigger, storedForm({ bucketName, key: 'in/a.csv' }), { host });
    expect(proxy.requests.map(({ url }) => url)).toEqual(
      Array(2).fill(expect.stringContaining('max-keys=1&prefix=in%2Fa.csv')),
    );
    await proxy.stop();
  });

  test('of a folder with too many objects each looks for its own key', async () => {
    const bucketName = await makeBucket();
    await put(bucketName, 'in/a', 'in/b');
    const proxy = await startS3Proxy(({ url }) =>
      url.includes('delimiter') ? { status: 200, body: ENDLESS } : undefined,
    );
    const host = new TestHost({ connections: { aws_default: connectionTo(proxy.endpoint) } });
    const ends = await Promise.all(
      ['in/a', 'in/b'].map((key) => runTrigger(S3KeyTrigger, storedForm({ bucketName, key }), { host })),
    );
    expect(ends.map(({ type }) => type)).toEqual(['success', 'success']);
    expect(proxy.requests.filter(({ url }) => url.includes('delimiter'))).toHaveLength(11);
    await proxy.stop();
  });
});

const ENDLESS =
  '<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>' +
  '<NextContinuationToken>more</NextContinuationToken></ListBucketResult>';

function storedForm({ bucketName, key }: { bucketName: string; key: string }) {
  const kwargs: S3KeyTriggerKwargs = {
    targets: [{ bucketName, key, match: 'exact' }],
    interval: '60s',
    checksBefore: 1,
    failuresBefore: 0,
  };
  return { classpath: S3KeyTrigger.classpath, kwargs: JSON.parse(JSON.stringify(kwargs)), isShareable: true };
}
