import { expect, test } from 'vitest';
import * as platform from '../src/index.ts';

test('the package exports just these names', () => {
  expect(Object.keys(platform).sort()).toEqual([
    'PostgresBinariesError',
    'PostgresStartError',
    'startEmbeddedPostgres',
  ]);
});
