import type { Json } from '../json.ts';

/**
 * Values that storage likes to change: one of each kind of JSON, and those that look like another kind. U+0000 is left
 * out on purpose: PostgreSQL's `jsonb` cannot hold it.
 */
export const JSON_KINDS: readonly Json[] = [
  null,
  true,
  false,
  0,
  -0.1,
  1e300,
  Number.MAX_SAFE_INTEGER,
  '',
  '42',
  'null',
  '{"a":1}',
  'quote " backslash \\ newline \n return \r tab \t',
  'ü 日本 🦅 \u2028',
  '2026-01-01T00:00:00.000Z',
  [],
  [null, 1, 'a', [[]], {}],
  {},
  { '': 1, 'a.b': { c: [false, null] }, constructor: 'x', $date: 'not a date' },
];
