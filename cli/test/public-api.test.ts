import { expect, test } from 'vitest';
import * as windhover from '../src/index.ts';

test('the package exports just these names', () => {
  expect(Object.keys(windhover).sort()).toEqual(['defineConfig']);
});
