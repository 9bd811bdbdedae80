import { expect, test } from 'vitest';
import * as platform from '../src/index.ts';

test('the package exports just these names', () => {
  expect(Object.keys(platform).sort()).toEqual([
    'ChangeWriter',
    'DagFileStore',
    'DagNotFoundError',
    'DagRunExistsError',
    'DagRunJob',
    'DagVersions',
    'Database',
    'FileLogStore',
    'Keyring',
    'MigrationError',
    'NotYetError',
    'Notifications',
    'PostgresBinariesError',
    'PostgresStartError',
    'SchedulerJob',
    'TaskApiServer',
    'createDagRun',
    'generateSecretKey',
    'migrate',
    'pendingMigrations',
    'startEmbeddedPostgres',
  ]);
});
