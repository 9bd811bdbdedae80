import { describe, expect, test } from 'vitest';
import {
  DEFAULT_NAMESPACE,
  EMPTY_RULE_STATE,
  eq,
  evaluateSignalRule,
  gt,
  type Json,
  necessary,
  type Predicate,
  type SerializedSignalCondition,
  type SerializedSignalRule,
  type SignalRule,
  type SignalRuleDecision,
  type SignalRuleState,
  strongestAction,
  sufficient,
  taskStateSignalKey,
} from '../src/index.ts';
import { serializeSignalRule } from '../src/operator/signal-operator.ts';

type Sent = readonly [key: string, version: number, value?: Json, namespace?: string];

/** Folds signals one after another, as the platform does: the state of each decision is stored before the next. */
function fold(rule: SignalRule, signals: readonly Sent[]): SignalRuleDecision[] {
  const stored = serializeSignalRule({ rule, action: 'START' });
  let state: SignalRuleState = EMPTY_RULE_STATE;
  return signals.map(([key, version, value = null, namespace = DEFAULT_NAMESPACE]) => {
    const decision = evaluateSignalRule(stored, state, { key, version, value, namespace });
    state = JSON.parse(JSON.stringify(decision.state));
    return decision;
  });
}

function reasons(rule: SignalRule, signals: readonly Sent[]): string[] {
  return fold(rule, signals).map(({ reason }) => reason);
}

describe('U1: a watermark starts a batch', () => {
  test('each version fires once and is told to its attempt', () => {
    const decisions = fold(sufficient('watermark.hour'), [
      ['watermark.hour', 1, '2026-01-01T00'],
      ['watermark.hour', 2, '2026-01-01T01'],
    ]);
    expect(decisions.map(({ hasFired, versions }) => ({ hasFired, versions }))).toStrictEqual([
      { hasFired: true, versions: { 'watermark.hour': 1 } },
      { hasFired: true, versions: { 'watermark.hour': 2 } },
    ]);
  });

  test('a version that is delivered twice fires once', () => {
    expect(
      reasons(sufficient('watermark.hour'), [
        ['watermark.hour', 1],
        ['watermark.hour', 1],
      ]),
    ).toStrictEqual(['fired', 'stale version']);
  });

  test('an older version that comes late does not fire', () => {
    expect(
      reasons(sufficient('w'), [
        ['w', 3],
        ['w', 2],
        ['w', 4],
      ]),
    ).toStrictEqual(['fired', 'stale version', 'fired']);
  });

  test('a version that was skipped over is no obstacle', () => {
    expect(
      reasons(sufficient('w'), [
        ['w', 1],
        ['w', 7],
      ]),
    ).toStrictEqual(['fired', 'fired']);
  });
});

describe('U2: a new model restarts a stream', () => {
  test('every validated model fires the rule, and the versions say which one is meant', () => {
    const decisions = fold(sufficient('model.validated'), [
      ['model.validated', 1, { id: 'a' }],
      ['model.validated', 2, { id: 'b' }],
      ['model.validated', 3, { id: 'c' }],
      ['model.validated', 4, { id: 'd' }],
    ]);
    expect(decisions.map(({ versions }) => versions['model.validated'])).toStrictEqual([1, 2, 3, 4]);
    expect(decisions.at(-1)!.state.consumed).toStrictEqual({ 'default/model.validated': 4 });
  });
});

describe('U3: a report needs both of two signals', () => {
  const rule = necessary(['sales.ready', 'fx.ready']);
  const sent: readonly Sent[] = [
    ['sales.ready', 1],
    ['sales.ready', 2],
    ['fx.ready', 1],
    ['fx.ready', 2],
    ['sales.ready', 3],
  ];

  test('fires when both have come, with the newest version of each, and not again until both are new', () => {
    expect(fold(rule, sent).map(({ reason, missing, versions }) => ({ reason, missing, versions }))).toStrictEqual([
      { reason: 'missing keys', missing: ['fx.ready'], versions: {} },
      { reason: 'missing keys', missing: ['fx.ready'], versions: {} },
      { reason: 'fired', missing: [], versions: { 'sales.ready': 2, 'fx.ready': 1 } },
      { reason: 'missing keys', missing: ['sales.ready'], versions: {} },
      { reason: 'fired', missing: [], versions: { 'sales.ready': 3, 'fx.ready': 2 } },
    ]);
  });

  test('remembers which versions it has used up', () => {
    expect(fold(rule, sent).map(({ state }) => state.consumed)).toStrictEqual([
      {},
      {},
      { 'default/sales.ready': 2, 'default/fx.ready': 1 },
      { 'default/sales.ready': 2, 'default/fx.ready': 1 },
      { 'default/sales.ready': 3, 'default/fx.ready': 2 },
    ]);
  });

  test('counts versions and no clocks, so two signals of one millisecond both count', () => {
    const sentAt = '2026-01-01T00:00:00.000Z';
    expect(
      reasons(rule, [
        ['sales.ready', 1, sentAt],
        ['fx.ready', 1, sentAt],
      ]),
    ).toStrictEqual(['missing keys', 'fired']);
  });

  test('fires whichever of them comes last', () => {
    expect(
      reasons(rule, [
        ['fx.ready', 1],
        ['sales.ready', 1],
      ]),
    ).toStrictEqual(['missing keys', 'fired']);
  });

  test('does not fire again for a version it has used up', () => {
    expect(reasons(rule, [...sent.slice(0, 3), ['fx.ready', 1], ['sales.ready', 2]]).slice(3)).toStrictEqual([
      'stale version',
      'stale version',
    ]);
  });

  test('does not count a version again that it has counted but not used up', () => {
    expect(
      reasons(rule, [
        ['sales.ready', 1],
        ['sales.ready', 1],
      ]),
    ).toStrictEqual(['missing keys', 'stale version']);
  });

  test('leaves a signal of another key alone, and its state too', () => {
    const [, decision] = fold(rule, [
      ['sales.ready', 1],
      ['other', 1],
    ]);
    expect(decision).toMatchObject({
      reason: 'other key',
      state: { consumed: {}, matched: { 'default/sales.ready': 1 } },
    });
  });

  test('leaves a signal of the same key in another namespace alone', () => {
    expect(
      reasons(rule, [
        ['sales.ready', 1],
        ['fx.ready', 1, null, 'eu'],
      ]),
    ).toStrictEqual(['missing keys', 'other key']);
  });

  test('names all that is missing', () => {
    expect(fold(necessary(['a', 'b', 'c']), [['b', 1]])[0]!.missing).toStrictEqual(['a', 'c']);
  });

  test('evaluating changes neither the rule nor the state it was given', () => {
    const state: SignalRuleState = Object.freeze({ consumed: Object.freeze({}), matched: Object.freeze({}) });
    const stored = serializeSignalRule({ rule, action: 'START' });
    const signal = { key: 'fx.ready', version: 1, value: null, namespace: DEFAULT_NAMESPACE };
    const first = evaluateSignalRule(stored, state, signal);
    expect(evaluateSignalRule(stored, state, signal)).toStrictEqual(first);
    expect(EMPTY_RULE_STATE).toStrictEqual({ consumed: {}, matched: {} });
  });
});

describe('a rule with predicates', () => {
  const ready = (key: string): { key: string; predicate: Predicate } => ({ key, predicate: eq(true) });

  test('U4: stops above a failure budget only', () => {
    expect(
      reasons(sufficient('error.rate', gt('v', 0.05)), [
        ['error.rate', 1, { v: 0.01 }],
        ['error.rate', 2, { v: 0.09 }],
        ['error.rate', 3, { v: 0.09 }],
      ]),
    ).toStrictEqual(['predicate', 'fired', 'fired']);
  });

  test('a value that does not match uses nothing up and counts for nothing', () => {
    const [decision] = fold(sufficient('error.rate', gt('v', 0.05)), [['error.rate', 1, { v: 0.01 }]]);
    expect(decision).toStrictEqual({
      hasFired: false,
      reason: 'predicate',
      missing: [],
      versions: {},
      state: EMPTY_RULE_STATE,
    });
  });

  test('a necessary rule needs a matching version of each key', () => {
    expect(
      reasons(necessary([ready('a'), ready('b')]), [
        ['a', 1, true],
        ['b', 1, false],
        ['b', 2, true],
      ]),
    ).toStrictEqual(['missing keys', 'predicate', 'fired']);
  });

  test('a later value that does not match leaves an earlier unused match in place', () => {
    const decisions = fold(necessary([ready('a'), 'b']), [
      ['a', 1, true],
      ['a', 2, false],
      ['b', 1],
    ]);
    expect(decisions.at(-1)).toMatchObject({ hasFired: true, versions: { a: 1, b: 1 } });
  });

  test('a predicate in code is not decided here: without an answer it does not match', () => {
    expect(
      reasons(
        sufficient('a', () => true),
        [['a', 1]],
      ),
    ).toStrictEqual(['predicate']);
  });

  test('the answer of the worker side decides a predicate in code', () => {
    const stored = serializeSignalRule({ rule: sufficient('a', () => true), action: 'STOP' });
    const signal = { key: 'a', version: 1, value: 7, namespace: DEFAULT_NAMESPACE };
    const asked: SerializedSignalCondition[] = [];
    const answer = (isMatch: boolean) =>
      evaluateSignalRule(stored, EMPTY_RULE_STATE, signal, (condition) => {
        asked.push(condition);
        return isMatch;
      });
    expect(answer(false).reason).toBe('predicate');
    expect(answer(true).reason).toBe('fired');
    expect(asked[0]).toStrictEqual({ key: 'a', namespace: 'default', predicate: { op: 'function' } });
  });

  test('of two conditions on one key either is sufficient', () => {
    const rule: SignalRule = {
      type: 'sufficient',
      conditions: [
        { key: 'state', predicate: eq('failed') },
        { key: 'state', predicate: eq('lost') },
      ],
    };
    expect(
      reasons(rule, [
        ['state', 1, 'failed'],
        ['state', 2, 'lost'],
        ['state', 3, 'fine'],
      ]),
    ).toStrictEqual(['fired', 'fired', 'predicate']);
  });
});

describe('a rule with life repeated', () => {
  const rule = necessary(['data.hour', 'schema.ok'], { life: 'repeated' });

  test('uses the latest version of a key again, as long as another one is new', () => {
    const decisions = fold(rule, [
      ['schema.ok', 1],
      ['data.hour', 1],
      ['data.hour', 2],
      ['schema.ok', 2],
    ]);
    expect(decisions.map(({ versions }) => versions)).toStrictEqual([
      {},
      { 'data.hour': 1, 'schema.ok': 1 },
      { 'data.hour': 2, 'schema.ok': 1 },
      { 'data.hour': 2, 'schema.ok': 2 },
    ]);
  });

  test('still needs every key once', () => {
    expect(
      reasons(rule, [
        ['data.hour', 1],
        ['data.hour', 2],
      ]),
    ).toStrictEqual(['missing keys', 'missing keys']);
  });

  test('does not fire when nothing is new', () => {
    expect(
      reasons(rule, [
        ['schema.ok', 1],
        ['data.hour', 1],
        ['data.hour', 1],
        ['schema.ok', 1],
      ]),
    ).toStrictEqual(['missing keys', 'fired', 'stale version', 'stale version']);
  });
});

describe('namespaces', () => {
  test('keep equal keys apart', () => {
    const rule = necessary([
      { key: 'ready', namespace: 'eu' },
      { key: 'ready', namespace: 'us' },
    ]);
    expect(
      reasons(rule, [
        ['ready', 1, null, 'eu'],
        ['ready', 2, null, 'eu'],
        ['ready', 1, null, 'us'],
      ]),
    ).toStrictEqual(['missing keys', 'missing keys', 'fired']);
  });

  test('with a slash are not confused with a key that has one', () => {
    const rule = necessary([
      { key: 'b/c', namespace: 'a' },
      { key: 'c', namespace: 'a/b' },
    ]);
    expect(reasons(rule, [['b/c', 1, null, 'a']])).toStrictEqual(['missing keys']);
  });
});

describe('rules as data', () => {
  test.each<[string, SignalRule, Omit<SerializedSignalRule, 'action' | 'onBusy'>]>([
    [
      'sufficient',
      sufficient('a'),
      { type: 'sufficient', life: 'once', conditions: [{ key: 'a', namespace: 'default' }] },
    ],
    [
      'sufficient with a predicate, a namespace and a life',
      sufficient({ key: 'a', namespace: 'n' }, gt(1), { life: 'repeated' }),
      { type: 'sufficient', life: 'repeated', conditions: [{ key: 'a', namespace: 'n', predicate: gt(1) }] },
    ],
    [
      'necessary with keys and conditions',
      necessary(['a', { key: 'b', predicate: eq(1) }]),
      {
        type: 'necessary',
        life: 'once',
        conditions: [
          { key: 'a', namespace: 'default' },
          { key: 'b', namespace: 'default', predicate: eq(1) },
        ],
      },
    ],
  ])('%s has all its defaults once it is stored', (_name, rule, stored) => {
    expect(serializeSignalRule({ rule, action: 'STOP' })).toStrictEqual({
      ...stored,
      action: 'STOP',
      onBusy: 'ignore',
    });
  });

  test('the states of a task are signals under a key of its own', () => {
    expect(taskStateSignalKey({ dagId: 'd', runId: 'r', taskId: 't', mapIndex: -1 })).toBe('task_state/d/r/t');
  });
});

describe('strongestAction', () => {
  test('lets STOP win over RESTART, and RESTART over START, in any order', () => {
    expect(strongestAction(['START', 'STOP', 'RESTART'])).toBe('STOP');
    expect(strongestAction(['START', 'NONE', 'RESTART'])).toBe('RESTART');
    expect(strongestAction(['NONE', 'START'])).toBe('START');
  });

  test('is NONE where nothing is to be done', () => {
    expect(strongestAction(['NONE'])).toBe('NONE');
    expect(strongestAction([])).toBe('NONE');
  });
});
