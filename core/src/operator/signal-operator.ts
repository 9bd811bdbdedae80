import { evaluatePredicate, type Predicate } from '../signal/predicate.ts';
import { DEFAULT_NAMESPACE, type SignalVersion } from '../signal/signal.ts';
import {
  type BusyPolicy,
  EMPTY_RULE_STATE,
  evaluateSignalRule,
  type FunctionPredicate,
  type SerializedSignalCondition,
  type SerializedSignalRule,
  type SignalAction,
  type SignalRule,
  type SignalRuleState,
  strongestAction,
} from '../signal/signal-rule.ts';
import type { TaskInstanceState } from '../task-instance/task-instance-state.ts';

/** A signal an operator takes part in, as it was declared. */
export interface SignalSpec {
  readonly key: string;
  /** Default: `default`. */
  readonly namespace?: string;
}

/** What `onSignal` may look at. */
export interface SignalState {
  readonly taskState: TaskInstanceState;
  /** The versions, by key, that started the current attempt. */
  readonly currentEpochs: Readonly<Record<string, number>>;
  /** The same of the attempt before. */
  readonly lastEpochs: Readonly<Record<string, number>>;
  /** One for each rule of the task, in the order of `when`. */
  readonly rules: readonly SignalRuleState[];
}

/** What an operator depends on: other tasks of its DAG, and signals. */
export type Dependency =
  | { readonly type: 'task'; readonly taskId: string }
  | ({ readonly type: 'signal' } & SignalSpec);

export interface WhenOptions {
  /** What START does when the task is running. Default: `ignore`. */
  readonly onBusy?: BusyPolicy;
}

interface RuleEntry extends WhenOptions {
  readonly rule: SignalRule;
  readonly action: Exclude<SignalAction, 'NONE'>;
}

/** The part of an operator that signals can start, restart or stop. Every operator has it. */
export abstract class SignalOperator {
  abstract readonly upstreamTaskIds: ReadonlySet<string>;
  private readonly signalSpecs = new Map<string, SignalSpec>();
  private readonly ruleEntries: RuleEntry[] = [];

  /** Declares a signal this task sends or reacts to, so that it shows up in the graph. */
  setSignal(spec: SignalSpec | string): this {
    const signal = typeof spec === 'string' ? { key: spec } : spec;
    this.signalSpecs.set(`${signal.namespace ?? DEFAULT_NAMESPACE}/${signal.key}`, signal);
    return this;
  }

  /** All signals declared on this task, by `setSignal` and `when`. */
  get signals(): ReadonlySet<SignalSpec> {
    return new Set(this.signalSpecs.values());
  }

  /** What this task waits for: the state changes of its upstream tasks, and the signals of its rules. */
  dep(): ReadonlySet<Dependency> {
    const tasks = [...this.upstreamTaskIds].map((taskId) => ({ type: 'task', taskId }) as const);
    const conditions = this.ruleEntries.flatMap(({ rule }) => rule.conditions);
    return new Set<Dependency>([
      ...tasks,
      ...conditions.map(
        ({ key, namespace }) => ({ type: 'signal', key, ...(namespace ? { namespace } : {}) }) as const,
      ),
    ]);
  }

  /**
   * ```ts
   * train.when(sufficient('watermark.hour'), 'START', { onBusy: 'queue' });
   * ```
   */
  when(rule: SignalRule, action: Exclude<SignalAction, 'NONE'>, options: WhenOptions = {}): this {
    this.ruleEntries.push({ rule, action, ...options });
    for (const { key, namespace } of rule.conditions) this.setSignal(namespace ? { key, namespace } : { key });
    return this;
  }

  /**
   * Decides by code what a signal does. An override runs on the worker side, not in the platform.
   * Default: evaluates the rules; STOP wins over RESTART, RESTART over START.
   */
  onSignal(signal: SignalVersion, state: SignalState): SignalAction | Promise<SignalAction> {
    return this.evaluateRules(signal, state);
  }

  private async evaluateRules(signal: SignalVersion, state: SignalState): Promise<SignalAction> {
    const fired: SignalAction[] = [];
    for (const [index, entry] of this.ruleEntries.entries()) {
      const matches = await Promise.all(entry.rule.conditions.map(({ predicate }) => callPredicate(predicate, signal)));
      const rule = serializeSignalRule(entry);
      const isMatch = (condition: SerializedSignalCondition) => matches[rule.conditions.indexOf(condition)] === true;
      const before = state.rules[index] ?? EMPTY_RULE_STATE;
      if (evaluateSignalRule(rule, before, signal, isMatch).hasFired) fired.push(entry.action);
    }
    return strongestAction(fired);
  }

  /** Whether the worker side must decide, because `onSignal` is overridden or a predicate is a function. */
  get hasSignalCode(): boolean {
    const conditions = this.ruleEntries.flatMap(({ rule }) => rule.conditions);
    const isDefault = (this.onSignal as { [DEFAULT_ON_SIGNAL]?: true })[DEFAULT_ON_SIGNAL] === true;
    return !isDefault || conditions.some(({ predicate }) => typeof predicate === 'function');
  }

  /** The rules as data, in the order of `when`. */
  signalRules(): readonly SerializedSignalRule[] {
    return this.ruleEntries.map(serializeSignalRule);
  }
}

export function serializeSignalRule({ rule, action, onBusy }: RuleEntry): SerializedSignalRule {
  return {
    type: rule.type,
    life: rule.life ?? 'once',
    action,
    onBusy: onBusy ?? 'ignore',
    conditions: rule.conditions.map(({ key, namespace, predicate }) => ({
      key,
      namespace: namespace ?? DEFAULT_NAMESPACE,
      ...(predicate ? { predicate: typeof predicate === 'function' ? ({ op: 'function' } as const) : predicate } : {}),
    })),
  };
}

/** Marks the default `onSignal`, so that the one of another copy of core is known too. */
const DEFAULT_ON_SIGNAL = Symbol.for('windhover.defaultOnSignal');
Object.defineProperty(SignalOperator.prototype.onSignal, DEFAULT_ON_SIGNAL, { value: true });

async function callPredicate(
  predicate: Predicate | FunctionPredicate | undefined,
  signal: SignalVersion,
): Promise<boolean> {
  if (predicate === undefined) return true;
  return typeof predicate === 'function' ? predicate(signal.value, signal) : evaluatePredicate(predicate, signal.value);
}
