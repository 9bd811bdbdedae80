import { gunzipSync } from 'node:zlib';
import { Connection } from '@windhover/core';
import { runOperator } from '@windhover/core/testing';
import {
  S3CopyObjectOperator,
  S3CreateBucketOperator,
  S3CreateObjectOperator,
  S3DeleteBucketOperator,
  S3DeleteObjectsOperator,
  S3Hook,
  S3ListOperator,
} from '@windhover/provider-amazon/s3';
import { describe, expect, test } from 'vitest';
import { connectionTo, isMissing, makeBucket, put, s3 } from './support/s3-server.ts';

const host = { connections: { aws_default: connectionTo() } };

describe.skipIf(isMissing)('the operators of S3', () => {
  test('a bucket is made, again without an error, and deleted with all its objects', async () => {
    const bucketName = `made-${crypto.randomUUID()}`;
    const create = new S3CreateBucketOperator({ taskId: 'create', bucketName });
    expect(await runOperator(create, host)).toMatchObject({ state: 'success' });
    expect(await runOperator(create, host)).toMatchObject({ state: 'success' });
    await put(bucketName, ...Array.from({ length: 1_100 }, (_, index) => `key-${index}`));
    const refused = await runOperator(new S3DeleteBucketOperator({ taskId: 'delete', bucketName }), host);
    expect(refused.error?.message).toContain('BucketNotEmpty');
    const remove = new S3DeleteBucketOperator({ taskId: 'delete', bucketName, forceDelete: true });
    expect(await runOperator(remove, host)).toMatchObject({ state: 'success' });
    expect(await runOperator(remove, host)).toMatchObject({ state: 'success' });
    await expect(s3.headBucket({ Bucket: bucketName })).rejects.toMatchObject({ name: 'NotFound' });
  }, 30_000);

  test('an object is written, and not written over unless told so', async () => {
    const bucket = await makeBucket();
    const write = (options: { data: string; replace?: boolean; compression?: 'gzip' }) =>
      runOperator(
        new S3CreateObjectOperator({ taskId: 'put', s3Key: `s3://${bucket}/in/ü a+b.csv`, ...options }),
        host,
      );
    expect(await write({ data: 'first' })).toMatchObject({ state: 'success', result: `s3://${bucket}/in/ü a+b.csv` });
    const again = await write({ data: 'second' });
    expect(again.error?.message).toBe(
      `There is an object s3://${bucket}/in/ü a+b.csv already. Set replace to write over it.`,
    );
    await write({ data: 'third', replace: true, compression: 'gzip' });
    const { Body, ContentEncoding } = await s3.getObject({ Bucket: bucket, Key: 'in/ü a+b.csv' });
    expect(ContentEncoding).toBe('gzip');
    expect(gunzipSync(await Body!.transformToByteArray()).toString()).toBe('third');
  });

  test('an object is copied, also one whose key needs encoding', async () => {
    const bucket = await makeBucket();
    await put(bucket, 'in/ü a+b?.csv');
    const operator = new S3CopyObjectOperator({
      taskId: 'copy',
      sourceBucketKey: 'in/ü a+b?.csv',
      sourceBucketName: bucket,
      destBucketKey: `s3://${bucket}/out/copy.csv`,
    });
    expect((await runOperator(operator, host)).result).toBe(`s3://${bucket}/out/copy.csv`);
    const { Body } = await s3.getObject({ Bucket: bucket, Key: 'out/copy.csv' });
    expect(await Body!.transformToString()).toBe('in/ü a+b?.csv');
  });

  test('a list has all pages, one folder, or what a pattern matches', async () => {
    const bucket = await makeBucket();
    await put(bucket, 'in/deep/c.csv', ...Array.from({ length: 1_050 }, (_, index) => `in/${index}.csv`), 'in/x.txt');
    const list = async (options: { prefix: string; delimiter?: string; applyWildcard?: boolean }) =>
      (await runOperator(new S3ListOperator({ taskId: 'list', bucketName: bucket, ...options }), host)).result;
    expect(await list({ prefix: 'in/' })).toHaveLength(1_052);
    expect(await list({ prefix: 'in/', delimiter: '/' })).toHaveLength(1_051);
    expect(await list({ prefix: 'in/*.txt', applyWildcard: true })).toEqual(['in/x.txt']);
  }, 30_000);

  test('objects are deleted by key, by prefix and by age', async () => {
    const bucket = await makeBucket();
    await put(bucket, 'a', 'in/b', 'in/c');
    const remove = async (options: object) =>
      runOperator(new S3DeleteObjectsOperator({ taskId: 'delete', bucketName: bucket, ...options }), host);
    expect((await remove({ keys: ['a', 'missing'] })).result).toBe(2);
    expect((await remove({ prefix: 'in/', toDatetime: new Date(0) })).result).toBe(0);
    expect((await remove({ prefix: 'in/', fromDatetime: new Date(0) })).result).toBe(2);
    expect((await s3.listObjectsV2({ Bucket: bucket })).KeyCount).toBe(0);
    expect((await remove({})).error?.message).toBe(
      'Task "delete" has a wrong option "keys": pass either keys or prefix.',
    );
  });

  test('the hook reads what it wrote, and null where nothing is', async () => {
    const bucketName = await makeBucket();
    const hook = new S3Hook({ connection: async () => new Connection('s3', connectionTo()) });
    await hook.writeKey({ bucketName, key: 'a/b' }, 'ü');
    expect(await hook.readKey({ bucketName, key: 'a/b' })).toBe('ü');
    expect(await hook.readKey({ bucketName, key: 'a/c' })).toBeNull();
    expect(await hook.headObject({ bucketName, key: 'a/b' })).toMatchObject({ Key: 'a/b', Size: 2 });
    expect(await hook.bucketExists('no-such-bucket-here')).toBe(false);
  });

  test('a server that only speaks S3 passes the connection test', async () => {
    const hook = new S3Hook({ connection: async () => new Connection('s3', connectionTo()) });
    expect(await hook.testConnection()).toMatchObject({
      isSuccess: true,
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ answers, with \d+ buckets\.$/),
    });
  });
});
