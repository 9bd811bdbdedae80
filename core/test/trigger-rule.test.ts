import { describe, expect, test } from 'vitest';
import {
  countUpstream,
  evaluateTriggerRule,
  isTerminal,
  TASK_INSTANCE_STATES,
  type TaskInstanceState,
  TRIGGER_RULES,
  type TriggerRule,
  type TriggerRuleDecision,
} from '../src/index.ts';

type States = readonly TaskInstanceState[];

/** Every list of up to three upstream states: 1 + 13 + 169 + 2197. */
const ALL_UPSTREAMS: readonly States[] = upTo(3);

function upTo(length: number): States[] {
  if (length === 0) return [[]];
  const shorter = upTo(length - 1);
  const longest = shorter.filter((states) => states.length === length - 1);
  return [...shorter, ...longest.flatMap((states) => TASK_INSTANCE_STATES.map((state) => [...states, state]))];
}

function decide(rule: TriggerRule, states: States): TriggerRuleDecision {
  return evaluateTriggerRule(rule, countUpstream(states));
}

/**
 * What Airflow documents, word for word as far as possible, over the list of states. `runs`: the sentence of the
 * documentation. `never`: that sentence cannot come true any more, and what becomes of the task then.
 */
const DOCUMENTED: Record<
  TriggerRule,
  { runs: (s: States) => boolean; never: (s: States) => TriggerRuleDecision | null }
> = {
  // All upstream tasks have succeeded.
  all_success: {
    runs: (s) => s.every(isSuccess),
    never: (s) => (s.some(isFailed) ? 'upstream_failed' : s.some(isSkipped) ? 'skip' : null),
  },
  // All upstream tasks are in a failed or upstream_failed state.
  all_failed: {
    runs: (s) => s.every(isFailed),
    never: (s) => (s.some(isSuccess) || s.some(isSkipped) ? 'skip' : null),
  },
  // All upstream tasks are done with their execution.
  all_done: { runs: (s) => s.every(isTerminal), never: () => null },
  // All upstream tasks are done with their execution, and at least one has succeeded.
  all_done_min_one_success: {
    runs: (s) => s.every(isTerminal) && s.some(isSuccess),
    never: (s) => (!s.every(isTerminal) || s.some(isSuccess) ? null : s.some(isFailed) ? 'upstream_failed' : 'skip'),
  },
  // There are no setup tasks, so none has to succeed.
  all_done_setup_success: { runs: (s) => s.every(isTerminal), never: () => null },
  // At least one upstream task has succeeded; does not wait for the others.
  one_success: {
    runs: (s) => s.some(isSuccess),
    never: (s) => (!s.every(isTerminal) ? null : s.every(isSkipped) ? 'skip' : 'upstream_failed'),
  },
  // At least one upstream task has failed; does not wait for the others.
  one_failed: { runs: (s) => s.some(isFailed), never: (s) => (s.every(isTerminal) ? 'skip' : null) },
  // At least one upstream task succeeded or failed. One that was upstream_failed has not been executed.
  one_done: {
    runs: (s) => s.some((state) => state === 'success' || state === 'failed'),
    never: (s) => (s.every(isTerminal) ? 'skip' : null),
  },
  // All upstream tasks have not failed or upstream_failed: all have succeeded or been skipped.
  none_failed: {
    runs: (s) => s.every((state) => isSuccess(state) || isSkipped(state)),
    never: (s) => (s.some(isFailed) ? 'upstream_failed' : null),
  },
  // The same, and at least one has succeeded.
  none_failed_min_one_success: {
    runs: (s) => s.every((state) => isSuccess(state) || isSkipped(state)) && s.some(isSuccess),
    never: (s) => (s.some(isFailed) ? 'upstream_failed' : s.every(isSkipped) ? 'skip' : null),
  },
  // No upstream task is skipped: all are in a success, failed or upstream_failed state.
  none_skipped: {
    runs: (s) => s.every((state) => isSuccess(state) || isFailed(state)),
    never: (s) => (s.some(isSkipped) ? 'skip' : null),
  },
  // All upstream tasks are in a skipped state.
  all_skipped: {
    runs: (s) => s.every(isSkipped),
    never: (s) => (s.some(isSuccess) || s.some(isFailed) ? 'skip' : null),
  },
  // No dependencies at all, run at any time.
  always: { runs: () => true, never: () => null },
};

function isSuccess(state: TaskInstanceState): boolean {
  return state === 'success';
}

function isFailed(state: TaskInstanceState): boolean {
  return state === 'failed' || state === 'upstream_failed';
}

/** `stopped` propagates like `skipped`: Airflow has no such state. */
function isSkipped(state: TaskInstanceState): boolean {
  return state === 'skipped' || state === 'stopped';
}

function documented(rule: TriggerRule, states: States): TriggerRuleDecision {
  const present = states.filter((state) => state !== 'removed');
  if (present.length === 0 || DOCUMENTED[rule].runs(present)) return 'run';
  return DOCUMENTED[rule].never(present) ?? 'wait';
}

test('there are the thirteen rules of Airflow', () => {
  expect([...TRIGGER_RULES].sort()).toStrictEqual(Object.keys(DOCUMENTED).sort());
  expect(TRIGGER_RULES).toHaveLength(13);
});

describe.each(TRIGGER_RULES)('%s', (rule) => {
  test('decides as Airflow documents it, for all states of up to three upstream tasks', () => {
    expect(ALL_UPSTREAMS).toHaveLength(2380);
    const wrong = ALL_UPSTREAMS.filter((states) => decide(rule, states) !== documented(rule, states)).map((states) => ({
      states: states.join(', '),
      decided: decide(rule, states),
      documented: documented(rule, states),
    }));
    expect(wrong).toStrictEqual([]);
  });

  test('runs a task that has no upstream', () => {
    expect(decide(rule, [])).toBe('run');
  });

  test('is decided when all upstream tasks are done', () => {
    const done = ALL_UPSTREAMS.filter((states) => states.every(isTerminal));
    expect(done.filter((states) => decide(rule, states) === 'wait')).toStrictEqual([]);
  });

  test('does not care for the order of upstream tasks', () => {
    const wrong = ALL_UPSTREAMS.filter((states) => decide(rule, states) !== decide(rule, [...states].reverse()));
    expect(wrong).toStrictEqual([]);
  });

  test('decides as if a removed task were not there', () => {
    const wrong = ALL_UPSTREAMS.filter((states) => decide(rule, states) !== decide(rule, [...states, 'removed']));
    expect(wrong).toStrictEqual([]);
  });

  test('takes a stopped task for a skipped one', () => {
    const wrong = ALL_UPSTREAMS.filter((states) => {
      const skipped = states.map((state) => (state === 'stopped' ? 'skipped' : state));
      return decide(rule, states) !== decide(rule, skipped);
    });
    expect(wrong).toStrictEqual([]);
  });

  test('takes all states of a task that is not done for the same', () => {
    const wrong = ALL_UPSTREAMS.filter((states) => {
      const waiting = states.map((state) => (isTerminal(state) ? state : 'none'));
      return decide(rule, states) !== decide(rule, waiting);
    });
    expect(wrong).toStrictEqual([]);
  });

  test('never takes back that a task runs, or that it does not, when more upstream tasks finish', () => {
    expect(changesOfMind(rule).filter(({ before, after }) => before === 'run' || after === 'run')).toStrictEqual([]);
  });
});

// For all_success a skipped task is enough to know that it does not run, but a failure may still follow and says why.
// All other rules know the outcome itself.
test.each(TRIGGER_RULES.filter((rule) => rule !== 'all_success'))(
  '%s never changes a decision when more upstream tasks finish',
  (rule) => {
    expect(changesOfMind(rule)).toStrictEqual([]);
  },
);

test('all_success only ever changes its decision from skip to upstream_failed', () => {
  const changes = changesOfMind('all_success').map(({ before, after }) => `${before} → ${after}`);
  expect([...new Set(changes)]).toStrictEqual(['skip → upstream_failed']);
});

test.each<[TriggerRule, TriggerRuleDecision]>([
  ['all_success', 'skip'],
  ['all_done', 'run'],
])('after a STOP (U4), a task with %s is decided as %s', (rule, decision) => {
  expect(decide(rule, ['stopped'])).toBe(decision);
});

test('upstream tasks are counted by how they ended', () => {
  expect(countUpstream(TASK_INSTANCE_STATES)).toStrictEqual({
    total: 13,
    success: 1,
    failed: 1,
    skipped: 2,
    upstreamFailed: 1,
    removed: 1,
  });
});

/** Each step in which one unfinished upstream task finishes and the decision is another than before. */
function changesOfMind(rule: TriggerRule) {
  const terminal = TASK_INSTANCE_STATES.filter(isTerminal);
  return ALL_UPSTREAMS.flatMap((states) => {
    const before = decide(rule, states);
    if (before === 'wait') return [];
    return states.flatMap((state, index) =>
      isTerminal(state)
        ? []
        : terminal
            .map((end) => ({ states, before, after: decide(rule, states.with(index, end)) }))
            .filter(({ after }) => after !== before),
    );
  });
}
