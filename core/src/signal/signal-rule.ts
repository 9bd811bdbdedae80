import { DagDefinitionError } from '../dag/dag-definition-error.ts';
import type { Json } from '../json.ts';
import { evaluatePredicate, type Predicate } from './predicate.ts';
import { DEFAULT_NAMESPACE, type SignalVersion } from './signal.ts';

/** What a task does about a signal. */
export type SignalAction = 'NONE' | 'START' | 'RESTART' | 'STOP';

/** A predicate that needs code: it is called on the worker side, by `SignalDecisionTrigger`. */
export type FunctionPredicate = (value: Json, signal: SignalVersion) => boolean | Promise<boolean>;

export interface SignalCondition {
  readonly key: string;
  /** Default: `default`. */
  readonly namespace?: string;
  /** Default: any value will do. */
  readonly predicate?: Predicate | FunctionPredicate;
}

/** When to act: on any one of the conditions, or when all of them have come. One action for each rule. */
export interface SignalRule {
  readonly type: 'sufficient' | 'necessary';
  readonly conditions: readonly SignalCondition[];
  /**
   * `once`: each version counts once. `repeated`: the latest value of a key may be used again, as long as one key is
   * new. Default: `once`.
   */
  readonly life?: 'once' | 'repeated';
}

/** What START does when the task is running already. */
export type BusyPolicy = 'ignore' | 'queue' | 'coalesce';

/** A rule as a DAG stores it; a function predicate is only a mark there. */
export interface SerializedSignalRule {
  readonly type: 'sufficient' | 'necessary';
  readonly conditions: readonly SerializedSignalCondition[];
  readonly life: 'once' | 'repeated';
  readonly action: Exclude<SignalAction, 'NONE'>;
  readonly onBusy: BusyPolicy;
}

export interface SerializedSignalCondition {
  readonly key: string;
  readonly namespace: string;
  /** Absent: any value. `function`: ask the worker side. */
  readonly predicate?: Predicate | { readonly op: 'function' };
}

type ConditionInput = string | SignalCondition;

/**
 * Acts on one signal, whatever else has come.
 *
 * ```ts
 * rollout.when(sufficient('error.rate', gt('v', 0.05)), 'STOP');
 * ```
 */
export function sufficient(
  key: ConditionInput,
  predicate?: Predicate | FunctionPredicate,
  options?: Pick<SignalRule, 'life'>,
): SignalRule {
  const condition = toCondition(key);
  return { type: 'sufficient', conditions: [predicate ? { ...condition, predicate } : condition], ...options };
}

/**
 * Acts when each of the keys has a version that was not used yet.
 *
 * ```ts
 * report.when(necessary(['sales.ready', 'fx.ready']), 'START');
 * ```
 */
export function necessary(keys: readonly ConditionInput[], options?: Pick<SignalRule, 'life'>): SignalRule {
  const names = keys.map(toCondition).map(({ key, namespace = DEFAULT_NAMESPACE }) => stateKey({ key, namespace }));
  const twice = keys[names.findIndex((name, index) => names.indexOf(name) !== index)];
  if (twice !== undefined) {
    throw new DagDefinitionError(
      `necessary() names "${toCondition(twice).key}" twice. Join its predicates with and().`,
    );
  }
  return { type: 'necessary', conditions: keys.map(toCondition), ...options };
}

/** What a rule remembers between signals. Plain data, stored by the platform. */
export interface SignalRuleState {
  /** The last version of each key that made the rule act. */
  readonly consumed: Readonly<Record<string, number>>;
  /** The newest matching version of each key. */
  readonly matched: Readonly<Record<string, number>>;
}

export const EMPTY_RULE_STATE: SignalRuleState = { consumed: {}, matched: {} };

export interface SignalRuleDecision {
  readonly hasFired: boolean;
  /** One row of the trace. */
  readonly reason: 'fired' | 'other key' | 'stale version' | 'predicate' | 'missing keys';
  /** What is still missing, by `signalName`, for `missing keys`. */
  readonly missing: readonly string[];
  /** The versions that made it act, by `signalName`. */
  readonly versions: Readonly<Record<string, number>>;
  readonly state: SignalRuleState;
}

/**
 * Folds one signal into a rule. Pure; versions decide, never clocks. `isMatch` evaluates a condition's predicate; the
 * default knows data predicates only.
 */
export function evaluateSignalRule(
  rule: Pick<SerializedSignalRule, 'type' | 'conditions' | 'life'>,
  state: SignalRuleState,
  signal: Pick<SignalVersion, 'key' | 'namespace' | 'value' | 'version'>,
  isMatch: (condition: SerializedSignalCondition) => boolean = (condition) => matchesData(condition, signal.value),
): SignalRuleDecision {
  const conditions = rule.conditions.filter(
    ({ key, namespace }) => key === signal.key && namespace === signal.namespace,
  );
  const [first] = conditions;
  if (!first) return stay('other key', state);
  const name = stateKey(first);
  const seen = Math.max(state.consumed[name] ?? 0, state.matched[name] ?? 0);
  if (signal.version <= seen) return stay('stale version', state);
  const condition = conditions.find(isMatch);
  if (!condition) return stay('predicate', rule.life === 'repeated' ? without(state, name) : state);
  const matched = { ...state.matched, [name]: signal.version };
  const needed = rule.type === 'sufficient' ? [condition] : rule.conditions;
  const missing = needed.filter((each) => !isAvailable(rule, stateKey(each), matched, state.consumed));
  if (missing.length > 0) return { ...stay('missing keys', { ...state, matched }), missing: missing.map(signalName) };
  const versions = Object.fromEntries(needed.map((each) => [signalName(each), matched[stateKey(each)]!]));
  const consumed = {
    ...state.consumed,
    ...Object.fromEntries(needed.map((each) => [stateKey(each), matched[stateKey(each)]!])),
  };
  return { hasFired: true, reason: 'fired', missing: [], versions, state: { consumed, matched } };
}

/** A signal's key, with its namespace before it unless that is the default one. */
export function signalName({ key, namespace }: { readonly key: string; readonly namespace: string }): string {
  return namespace === DEFAULT_NAMESPACE ? key : `${namespace}/${key}`;
}

/** Within one batch STOP wins over RESTART, and RESTART over START. */
export function strongestAction(actions: Iterable<SignalAction>): SignalAction {
  const all = new Set(actions);
  return (['STOP', 'RESTART', 'START'] as const).find((action) => all.has(action)) ?? 'NONE';
}

function isAvailable(
  rule: Pick<SerializedSignalRule, 'life'>,
  name: string,
  matched: SignalRuleState['matched'],
  consumed: SignalRuleState['consumed'],
): boolean {
  const version = matched[name];
  return version !== undefined && (rule.life === 'repeated' || version > (consumed[name] ?? 0));
}

function matchesData(condition: SerializedSignalCondition, value: Json): boolean {
  if (!condition.predicate) return true;
  return condition.predicate.op !== 'function' && evaluatePredicate(condition.predicate, value);
}

function stay(reason: SignalRuleDecision['reason'], state: SignalRuleState): SignalRuleDecision {
  return { hasFired: false, reason, missing: [], versions: {}, state };
}

/** A value that no longer matches must not be used again. */
function without({ consumed, matched }: SignalRuleState, name: string): SignalRuleState {
  return { consumed, matched: Object.fromEntries(Object.entries(matched).filter(([each]) => each !== name)) };
}

function stateKey(condition: SerializedSignalCondition): string {
  // Encoded, because a key may hold slashes: `a` + `b/c` is not `a/b` + `c`.
  return `${encodeURIComponent(condition.namespace)}/${condition.key}`;
}

function toCondition(input: ConditionInput): SignalCondition {
  return typeof input === 'string' ? { key: input } : input;
}
