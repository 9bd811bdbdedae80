import { expect, test } from 'vitest';
import * as door from '../src/index.ts';

// What is exported is promised: a name that comes or goes is a decision that shows in the diff.
test('the package exports these names at run time and no others', () => {
  expect(Object.keys(door).sort()).toEqual([
    'HttpHook',
    'HttpJobOperator',
    'HttpJobTrigger',
    'HttpOperator',
    'HttpSensor',
    'HttpStatusError',
    'HttpUnreachableError',
    'HttpUrlError',
  ]);
});
