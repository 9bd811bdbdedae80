import type { BaseSensor, OperatorOptions, SensorOptions } from '@windhover/core';
import { type ConformanceTest, testLogStore, testSensor, testTrigger, testXComBackend } from '@windhover/core/testing';
import {
  S3KeySensor,
  S3KeysUnchangedSensor,
  S3KeysUnchangedTrigger,
  S3KeyTrigger,
  S3LogStore,
  S3PrefixSensor,
  S3XComBackend,
} from '@windhover/provider-amazon/s3';
import { describe, test } from 'vitest';
import { connectionTo, isMissing, makeBucket, OVERRIDES, type S3Backend, s3Backend } from './support/s3-server.ts';

function register(suite: readonly ConformanceTest[]): void {
  for (const { name, run } of suite) test.skipIf(isMissing)(name, run, 30_000);
}

const KEYS = s3Backend({ pending: ['in/a.csv.part', 'in/b.txt'], done: ['in/a.csv', 'in/b.txt'], failed: 'noBucket' });
const QUIET = s3Backend({ pending: ['in/a'], done: ['in/a', 'in/b'], failed: [] });

type Make = (bucketName: string, options: OperatorOptions & SensorOptions) => BaseSensor<any, any>;
const SENSORS: Record<string, { backend: typeof KEYS; make: Make }> = {
  'S3KeySensor with one key': {
    backend: KEYS,
    make: (bucketName, options) => new S3KeySensor({ bucketName, bucketKey: 'in/a.csv', ...OVERRIDES, ...options }),
  },
  'S3KeySensor with a pattern': {
    backend: KEYS,
    make: (bucketName, options) =>
      new S3KeySensor({ bucketKey: `s3://${bucketName}/in/*.csv`, wildcardMatch: true, ...OVERRIDES, ...options }),
  },
  'S3KeySensor with a regular expression': {
    backend: KEYS,
    make: (bucketName, options) =>
      new S3KeySensor({ bucketName, bucketKey: 'in/[a-z]\\.csv$', useRegex: true, ...OVERRIDES, ...options }),
  },
  'S3KeySensor with a function': {
    backend: KEYS,
    make: (bucketName, options) =>
      new S3KeySensor({
        bucketName,
        bucketKey: 'in/*.csv',
        wildcardMatch: true,
        checkFn: (files) => files.length === 1 && files[0]!.Key === 'in/a.csv' && files[0]!.Size === 8,
        ...OVERRIDES,
        ...options,
      }),
  },
  S3PrefixSensor: {
    backend: s3Backend({ pending: ['input/a'], done: ['in/a'], failed: 'noBucket' }),
    make: (bucketName, options) => new S3PrefixSensor({ bucketName, prefix: 'in', ...OVERRIDES, ...options }),
  },
  S3KeysUnchangedSensor: {
    backend: QUIET,
    make: (bucketName, options) =>
      new S3KeysUnchangedSensor({
        bucketName,
        prefix: 'in/',
        minObjects: 2,
        allowDelete: false,
        inactivityPeriod: '0s',
        ...OVERRIDES,
        ...options,
      }),
  },
};

for (const [name, { backend, make }] of Object.entries(SENSORS)) {
  describe(name, () => {
    register(testSensor({ backend, sensor: (running, options) => make((running as S3Backend).bucket, options) }));
  });
}

const BEFORE = { interval: '10s', checksBefore: 0, failuresBefore: 0, ...OVERRIDES } as const;

describe('S3KeyTrigger', () => {
  register(
    testTrigger({
      load: (specifier) => import(specifier),
      backend: KEYS,
      interval: '10s',
      trigger: (running) => {
        const { bucket: bucketName } = running as S3Backend;
        return new S3KeyTrigger({ targets: [{ bucketName, key: 'in/a.csv', match: 'exact' }], ...BEFORE });
      },
    }),
  );
});

describe('S3KeysUnchangedTrigger', () => {
  register(
    testTrigger({
      load: (specifier) => import(specifier),
      backend: QUIET,
      interval: '10s',
      trigger: (running) =>
        new S3KeysUnchangedTrigger({
          bucketName: (running as S3Backend).bucket,
          prefix: 'in/',
          inactivityPeriod: '0s',
          minObjects: 2,
          allowDelete: true,
          ...BEFORE,
        }),
    }),
  );
});

describe('S3XComBackend', () => {
  register(
    testXComBackend({
      create: async () => {
        const options = { bucketName: await makeBucket(), connection: connectionTo() };
        return {
          backend: new S3XComBackend(options),
          another: async () => new S3XComBackend(options),
          close: async () => {},
        };
      },
    }),
  );
});

describe('S3LogStore', () => {
  register(
    testLogStore({
      create: async () => ({
        store: new S3LogStore({ bucketName: await makeBucket(), connection: connectionTo() }),
        close: async () => {},
      }),
    }),
  );
});
