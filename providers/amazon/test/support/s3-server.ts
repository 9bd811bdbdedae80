import { S3 } from '@aws-sdk/client-s3';
import type { BackendAnswer, ScriptedBackend, VirtualClock } from '@windhover/core/testing';
import {
  type HttpProxy,
  type ProxiedRequest,
  type ProxyAnswer,
  startHttpProxy,
  startRadosgw,
} from '@windhover/testing-services';

/** The real gateway, or why it is not there. */
export const radosgw = await startRadosgw();
export const isMissing = 'missing' in radosgw;
if ('missing' in radosgw) console.warn(`SKIPPED: tests that need an S3 server: ${radosgw.missing}`);

const server =
  'missing' in radosgw ? { endpoint: 'http://127.0.0.1:1', accessKeyId: '', secretAccessKey: '' } : radosgw;

/** The vendor's client, to prepare and look at the server past the code under test. */
export const s3 = new S3({
  endpoint: server.endpoint,
  region: 'us-east-1',
  forcePathStyle: true,
  credentials: server,
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});

export async function makeBucket(): Promise<string> {
  const Bucket = `test-${crypto.randomUUID()}`;
  await s3.createBucket({ Bucket });
  return Bucket;
}

/** Objects whose content is their key. */
export async function put(Bucket: string, ...keys: string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += 40)
    await Promise.all(keys.slice(start, start + 40).map((Key) => s3.putObject({ Bucket, Key, Body: Key })));
}

export function connectionTo(endpoint: string = server.endpoint) {
  return {
    connType: 'aws',
    login: server.accessKeyId,
    password: server.secretAccessKey,
    extra: { endpointUrl: endpoint },
  };
}

export const OVERRIDES = { awsConnId: 's3_test', clientConfig: { maxAttempts: 1 } } as const;

/** A gateway before which something happens. */
export function startS3Proxy(
  intercept?: (request: ProxiedRequest) => Promise<ProxyAnswer> | ProxyAnswer,
): Promise<HttpProxy> {
  return startHttpProxy(server.endpoint, intercept);
}

export function isListing({ method, url }: ProxiedRequest): boolean {
  return method === 'GET' && url.includes('list-type=2');
}

export interface S3Backend extends ScriptedBackend {
  readonly bucket: string;
}

/** Before each listing the bucket is brought into the state that the script says; the gateway itself then answers. */
export function s3Backend(
  states: Record<'pending' | 'done', readonly string[]> & { failed?: 'noBucket' | readonly string[] },
) {
  return async (script: readonly BackendAnswer[], clock: VirtualClock): Promise<S3Backend> => {
    // Always the same one: the suites compare results of several runs, and a result names its bucket.
    const bucket = SCRIPTED_BUCKET;
    await s3.createBucket({ Bucket: bucket }).catch(ignoreOwned);
    await bring(bucket, []);
    const checks: Date[] = [];
    const proxy = await startS3Proxy(async (request) => {
      if (!isListing(request)) return undefined;
      const answer = script[Math.min(checks.length, script.length - 1)]!;
      checks.push(clock.now());
      if (answer === 'transient') return { status: 503, body: '<Error><Code>SlowDown</Code></Error>' };
      const wanted = states[answer] ?? 'noBucket';
      await bring(bucket, wanted === 'noBucket' ? [] : wanted);
      if (wanted === 'noBucket') await s3.deleteBucket({ Bucket: bucket });
      return undefined;
    });
    return {
      bucket,
      connections: { s3_test: connectionTo(proxy.endpoint) },
      checks: () => checks,
      callers: () => proxy.requests.map(({ headers }) => String(headers.authorization).replace(/,.*/, '')),
      close: () => proxy.stop(),
    };
  };
}

const SCRIPTED_BUCKET = `scripted-${crypto.randomUUID()}`;

function ignoreOwned(error: { readonly name: string }): void {
  if (error.name !== 'BucketAlreadyOwnedByYou') throw error;
}

async function bring(Bucket: string, keys: readonly string[]): Promise<void> {
  const { Contents = [] } = await s3.listObjectsV2({ Bucket });
  const there = Contents.map(({ Key }) => Key!);
  for (const Key of there) if (!keys.includes(Key)) await s3.deleteObject({ Bucket, Key });
  for (const Key of keys) if (!there.includes(Key)) await put(Bucket, Key);
}
