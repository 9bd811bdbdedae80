import { expect, test } from 'vitest';
import * as bigQuery from '../src/bigquery/index.ts';
import * as gcs from '../src/gcs/index.ts';
import * as door from '../src/index.ts';

// What is exported is promised: a name that comes or goes is a decision that shows in the diff.
test('the package exports these names at run time and no others', () => {
  expect(Object.keys(door).sort()).toEqual(['GoogleApiError', 'GoogleHook']);
});

test('its subpath bigquery exports these names and no others', () => {
  expect(Object.keys(bigQuery).sort()).toEqual([
    'BigQueryCheckOperator',
    'BigQueryColumnCheckOperator',
    'BigQueryGetDataOperator',
    'BigQueryHook',
    'BigQueryInsertJobOperator',
    'BigQueryIntervalCheckOperator',
    'BigQueryJobExistsError',
    'BigQueryJobTrigger',
    'BigQueryStreamingBufferEmptySensor',
    'BigQueryTableExistenceSensor',
    'BigQueryTablePartitionExistenceSensor',
    'BigQueryValueCheckOperator',
    'CheckFailedError',
  ]);
});

test('its subpath gcs exports these names and no others', () => {
  expect(Object.keys(gcs).sort()).toEqual([
    'GCSHook',
    'GCSObjectExistenceSensor',
    'GCSObjectUpdateSensor',
    'GCSObjectsWithPrefixExistenceSensor',
    'GCSUploadSessionCompleteSensor',
    'GCSUploadSessionCompleteTrigger',
  ]);
});
