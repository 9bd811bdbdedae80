import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@windhover/core';
import { runOperator } from '@windhover/core/testing';
import { type GoogleCloud, startGoogleCloud } from '@windhover/testing-services';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BigQueryInsertJobOperator, BigQueryTableExistenceSensor } from '../src/bigquery/index.ts';
import { GCSHook, GCSObjectExistenceSensor } from '../src/gcs/index.ts';
import { GoogleHook } from '../src/index.ts';
import { connectionTo, PROJECT } from './support/google-backend.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = {
  type: 'service_account',
  project_id: 'key-project',
  client_email: 'robot@key-project.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};
const configuration = { query: { query: 'select 1', useLegacySql: false } };

let google: GoogleCloud;
beforeEach(async () => {
  google = await startGoogleCloud();
});
afterEach(() => google.stop());

const withExtra = (extra: Record<string, string>) => ({
  connType: 'google_cloud_platform',
  extra: { apiEndpoint: google.url, ...extra },
});
const hookFor = (extra: Record<string, string>) =>
  new GoogleHook({ connection: async (connId) => new Connection(connId, withExtra(extra)) }, 'gcp');

describe('credentials', () => {
  test('a key signs its own tokens, and names the project', async () => {
    const connections = { google_cloud_default: withExtra({ keyfileDict: JSON.stringify(KEY) }) };
    const run = await runOperator(new BigQueryInsertJobOperator({ taskId: 'job', configuration }), { connections });
    expect(run).toMatchObject({ state: 'success', result: { projectId: 'key-project' } });
    expect(new Set(google.callers())).toEqual(new Set([KEY.client_email]));
  });

  test('a key file is read on the worker', async () => {
    const keyPath = join(mkdtempSync(join(tmpdir(), 'key-')), 'key.json');
    writeFileSync(keyPath, JSON.stringify(KEY));
    google.gcs.put('landing', 'a');
    const connections = { google_cloud_default: withExtra({ keyPath }) };
    const run = await runOperator(new GCSObjectExistenceSensor({ taskId: 'wait', bucket: 'landing', object: 'a' }), {
      connections,
    });
    expect(run.error?.message).toBeUndefined();
    expect(google.callers()).toEqual([KEY.client_email]);
  });

  test('an impersonation chain reaches operator, sensor and trigger', async () => {
    const connections = {
      google_cloud_default: withExtra({ project: PROJECT, keyfileDict: JSON.stringify(federated()) }),
    };
    const impersonationChain = ['middle@x.iam', 'target@x.iam'];
    google.gcs.put('landing', 'a');
    await runOperator(new BigQueryInsertJobOperator({ taskId: 'job', configuration, impersonationChain }), {
      connections,
    });
    const object = { bucket: 'landing', object: 'a' };
    await runOperator(new GCSObjectExistenceSensor({ taskId: 'wait', ...object, impersonationChain }), { connections });
    const table = { datasetId: 'd', tableId: 't', timeout: '3m' } as const;
    await runOperator(new BigQueryTableExistenceSensor({ taskId: 'wait', ...table, impersonationChain }), {
      connections,
    });
    expect(google.callers().length).toBeGreaterThan(5);
    expect(new Set(google.callers())).toEqual(new Set(['as middle@x.iam > target@x.iam']));
  });

  test('a token that Google no longer takes is made anew, in mid-wait too', async () => {
    const expired = {
      status: 401,
      body: { error: { code: 401, message: 'Request had invalid authentication credentials.' } },
    };
    google.server.fail({ on: /^GET .*\/jobs\//, answer: expired });
    google.server.fail({ on: /^GET \/storage/, answer: expired });
    google.gcs.put('landing', 'a');
    const connections = { google_cloud_default: withExtra({ keyfileDict: JSON.stringify(KEY) }) };
    const job = await runOperator(new BigQueryInsertJobOperator({ taskId: 'job', configuration }), { connections });
    expect(job).toMatchObject({ state: 'success', tries: 1 });
    const sensor = new GCSObjectExistenceSensor({ taskId: 'wait', bucket: 'landing', object: 'a' });
    expect((await runOperator(sensor, { connections })).state).toBe('success');
  });
});

/** Credentials of another cloud, which are exchanged for Google's at an address of their own. */
function federated() {
  const file = join(mkdtempSync(join(tmpdir(), 'token-')), 'token');
  writeFileSync(file, 'a token of another cloud');
  return {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/other',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${google.url}/v1/token`,
    credential_source: { file },
  };
}

describe('testConnection', () => {
  test('says that Google answers', async () => {
    const { isSuccess, message } = await hookFor({ keyfileDict: JSON.stringify(KEY) }).testConnection();
    expect({ isSuccess, message }).toEqual({
      isSuccess: true,
      message: 'Google Cloud answers for project "key-project".',
    });
  });

  test('says what is wrong, without the key', async () => {
    const broken = await hookFor({ keyfileDict: `{"private_key": "hidden` }).testConnection();
    expect(broken).toEqual({
      isSuccess: false,
      message:
        'Cannot make credentials with connection "gcp": its keyfileDict is not the JSON of a key file. Give the connection ' +
        'keyPath or keyfileDict, or make default credentials: gcloud auth application-default login.',
    });
    const missing = await hookFor({ keyPath: '/nowhere/key.json' }).testConnection();
    expect(missing.message).toMatch(/^Cannot make credentials with connection "gcp": .*\/nowhere\/key.json/);
    const projectless = await hookFor({ isAnonymous: 'true' }).testConnection();
    expect(projectless).toEqual({ isSuccess: false, message: 'The connection names no project.' });
  });
});

describe('the message for', () => {
  const messageOf = async (sensor: Parameters<typeof runOperator>[0], extra: Record<string, string> = {}) => {
    const connections = { google_cloud_default: connectionTo(google, extra) };
    return (await runOperator(sensor, { connections, realTimeout: '20s' })).error?.message;
  };
  const objectSensor = () => new GCSObjectExistenceSensor({ taskId: 'wait', bucket: 'landing', object: 'a' });

  test('wrong credentials', async () => {
    const refused = { status: 401, body: { error: { code: 401, message: 'Invalid Credentials' } } };
    google.server.fail({ on: /^GET \/storage/, times: 9, answer: refused });
    expect(await messageOf(objectSensor())).toBe(
      'Cannot look up gs://landing/a with connection "google_cloud_default": Invalid Credentials. ' +
        'Check the key of connection "google_cloud_default", or when it was revoked.',
    );
  });

  test('a missing bucket', async () => {
    expect(await messageOf(objectSensor())).toBe(
      'Cannot look up gs://landing/a with connection "google_cloud_default": The specified bucket does not exist. ' +
        'Check its name, project and location.',
    );
  });

  test('a role that is missing', async () => {
    const message = 'robot does not have storage.objects.get access';
    const refused = {
      status: 403,
      body: { error: { code: 403, message, errors: [{ reason: 'forbidden', message }] } },
    };
    google.server.fail({ on: /^GET \/storage/, times: 9, answer: refused });
    expect(await messageOf(objectSensor())).toContain(
      'Grant the role that allows it to the account of this connection',
    );
  });

  test('a host that cannot be reached', async () => {
    const message = await messageOf(objectSensor(), { apiEndpoint: 'http://127.0.0.1:9' });
    expect(message).toContain('Cannot look up gs://landing/a with connection "google_cloud_default"');
    expect(message).toContain('Check the network, and the apiEndpoint of the connection');
  });
});

test('a quota on requests, which is told as 403, passes', async () => {
  google.gcs.put('landing', 'a');
  const message = 'Exceeded rate limits';
  const busy = {
    status: 403,
    body: { error: { code: 403, message, errors: [{ reason: 'rateLimitExceeded', message }] } },
  };
  google.server.fail({ on: /^GET \/storage/, times: 2, answer: busy });
  const sensor = new GCSObjectExistenceSensor({ taskId: 'wait', bucket: 'landing', object: 'a' });
  const run = await runOperator(sensor, { connections: { google_cloud_default: connectionTo(google) } });
  expect(run).toMatchObject({ state: 'success', tries: 1 });
});

test('GCSHook lists by glob and by prefix', async () => {
  for (const name of ['in/a.csv', 'in/b.json', 'in/deep/c.csv', 'out/d.csv']) google.gcs.put('landing', name);
  const hook = new GCSHook({ connection: async (connId) => new Connection(connId, connectionTo(google)) });
  const names = async (query: { prefix?: string; matchGlob?: string }) =>
    (await hook.listObjects('landing', query)).map(({ name }) => name);
  expect(await names({ matchGlob: 'in/*.csv' })).toEqual(['in/a.csv']);
  expect(await names({ matchGlob: 'in/**.csv' })).toEqual(['in/a.csv', 'in/deep/c.csv']);
  expect(await names({ prefix: 'in/' })).toEqual(['in/a.csv', 'in/b.json', 'in/deep/c.csv']);
});

test('reading a DAG file loads no client of Google', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const google = await import('@windhover/provider-google');
    const { BigQueryInsertJobOperator } = await import('@windhover/provider-google/bigquery');
    const { GCSObjectExistenceSensor } = await import('@windhover/provider-google/gcs');
    new BigQueryInsertJobOperator({ taskId: 'a', configuration: {} });
    new GCSObjectExistenceSensor({ taskId: 'b', bucket: 'b', object: 'o' });
    console.log(JSON.stringify(loaded));`;
  const cwd = new URL('..', import.meta.url);
  const args = ['--conditions=development', '--input-type=module', '--eval', script];
  const loaded = JSON.parse(execFileSync(process.execPath, args, { cwd, encoding: 'utf8' })) as string[];
  expect(loaded.some((url) => url.endsWith('bigquery-insert-job-operator.ts'))).toBe(true);
  expect(loaded.filter((url) => url.includes('node_modules'))).toEqual([]);
});
