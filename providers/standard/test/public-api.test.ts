import { expect, test } from 'vitest';
import * as door from '../src/index.ts';

// What is exported is promised: a name that comes or goes is a decision that shows in the diff.
test('the package exports these names at run time and no others', () => {
  expect(Object.keys(door).sort()).toEqual([
    'BashCommandError',
    'BashOperator',
    'BranchOperator',
    'DagRunTrigger',
    'DateTimeSensor',
    'EmptyOperator',
    'ExternalTaskFailedError',
    'ExternalTaskSensor',
    'ExternalTaskTrigger',
    'FileSensor',
    'FileTrigger',
    'LatestOnlyOperator',
    'PostgresError',
    'PostgresHook',
    'ShortCircuitOperator',
    'SqlOperator',
    'SqlSensor',
    'TimeDeltaSensor',
    'TimeSensor',
    'TriggerDagRunOperator',
    'WaitSensor',
  ]);
});
