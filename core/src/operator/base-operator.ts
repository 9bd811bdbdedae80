import { brandPrototype, hasBrand, sharedInProcess } from '../brand.ts';
import type { Context, TriggerContext } from '../context/context.ts';
import { addToCurrentDag, type TaskOwner } from '../dag/dag-stack.ts';
import { type Connectable, connect } from '../dag/edges.ts';
import { Output } from '../dag/output.ts';
import { type Duration, durationMs } from '../duration.ts';
import type { SerializableKwargs } from '../serde/serializable.ts';
import { findTemplates, type RenderResult } from '../template/render.ts';
import type { OPAQUE, Templated } from '../template/template.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';
import type { TriggerEvent } from '../trigger/trigger-event.ts';
import type { KillReason } from '../trigger/trigger-scope.ts';
import {
  OPERATOR_OPTION_NAMES,
  type OperatorOptions,
  type ResolvedOptions,
  resolveOptions,
} from './operator-options.ts';
import { ResumeMethodError } from './resume-method-error.ts';
import { SignalOperator } from './signal-operator.ts';
import { TaskDeferred, type TimeoutAction } from './task-signals.ts';

/**
 * One task of a DAG. `Args` are its own arguments; each may be a template or the output of another task, and is plain
 * data again in `this.args` when the task runs.
 *
 * ```ts
 * class GreetOperator extends BaseOperator<string, { name: string }> {
 *   async execute() {
 *     return `Hello, ${this.args.name}`;
 *   }
 * }
 * new GreetOperator({ taskId: 'greet', name: template(({ params }) => String(params.name)), retries: 2 });
 * ```
 *
 * State does not survive a deferral: the operator is made anew from its DAG file. Pass what is needed in `kwargs`, or
 * keep it with `context.step`. Use TypeScript's `private`, not `#fields`: a task runs on a view of the operator, whose
 * `args` are rendered.
 */
export abstract class BaseOperator<
  Result = unknown,
  Args extends object = Record<never, never>,
> extends SignalOperator {
  declare readonly [OPAQUE]: true;
  /** With the ids of its task groups before it: `extract.load`. */
  readonly taskId: string;
  /** Rendered while the task runs; before that, as they were given. */
  readonly args: Args;
  readonly options: ResolvedOptions;
  readonly callbacks: Pick<OperatorOptions, 'onFailure' | 'onSuccess' | 'onRetry'>;
  readonly upstreamTaskIds = new Set<string>();
  readonly downstreamTaskIds = new Set<string>();
  /** Undefined for an operator made outside of `dag()`, as in tests. */
  readonly owner: TaskOwner | undefined;
  /** See `bindArgs`. */
  readonly renderedArgs: RenderResult<Args>['rendered'] = [];

  static {
    brandPrototype(BaseOperator.prototype, 'BaseOperator');
  }

  constructor(options: OperatorOptions & TemplatedArgs<Args>) {
    super();
    const { owner, taskId, defaults } = addToCurrentDag(this, options.taskId);
    const all = { ...defaults, ...options };
    this.taskId = taskId;
    this.owner = owner;
    this.options = resolveOptions(`Task "${taskId}"`, all);
    const { onFailure, onSuccess, onRetry } = all;
    this.callbacks = { ...(onFailure && { onFailure }), ...(onSuccess && { onSuccess }), ...(onRetry && { onRetry }) };
    const isArgument = ([name, value]: [string, unknown]) => !OPERATOR_OPTION_NAMES.has(name) && value !== undefined;
    const args = Object.fromEntries(Object.entries(options).filter(isArgument));
    this.args = args as Args;
    for (const [, found] of findTemplates(args)) if (Output.isInstance(found)) connect(found.operator, this);
  }

  static isInstance(value: unknown): value is BaseOperator<unknown, any> {
    return hasBrand(value, 'BaseOperator');
  }

  /** Does the work. What it returns is the task's result: other tasks get it through `output`. */
  abstract execute(context: Context): Result | Promise<Result>;

  /** The result as an argument of another task; that task then runs after this one. */
  get output(): Output<Awaited<Result>> {
    return new Output(this);
  }

  /** This task runs before others. Answers the other end, so that calls can be chained. */
  before<T extends Connectable>(other: T): T {
    connect(this, other);
    return other;
  }

  /** This task runs after others. Answers the other end, so that calls can be chained. */
  after<T extends Connectable>(other: T): T {
    connect(other, this);
    return other;
  }

  get roots(): readonly BaseOperator<any, any>[] {
    return [this];
  }

  get leaves(): readonly BaseOperator<any, any>[] {
    return [this];
  }

  /** The task runs on a worker and is to end: stop what it started. Default: nothing. */
  async onKill(_context: Context, _reason: KillReason): Promise<void> {}

  /**
   * For `startFromTrigger`: the wait with which the task begins. It is asked again when the task resumes, so it must
   * give the same answer for the same context.
   */
  startTrigger(_context: TriggerContext): TaskDeferred | Promise<TaskDeferred> {
    throw new ResumeMethodError(
      this.constructor.name,
      this.taskId,
      'startFromTrigger is set, but the operator has no startTrigger(context) that returns this.deferral({ … }).',
    );
  }

  /**
   * Ends this method here; the task gives its worker back and goes on in `resume` when the trigger has fired.
   *
   * ```ts
   * this.defer({ trigger: new AcmeJobTrigger({ handle }), resume: this.executeComplete, kwargs: { handle } });
   * ```
   */
  // The compiler explains the last overload, so the common one stands there.
  protected defer(options: DeferByNameOptions): never;
  protected defer<Event, Resume extends ResumeMethod<Result, Event>>(options: DeferOptions<Event, Resume>): never;
  protected defer(options: AnyDeferOptions): never {
    const deferral = this.makeDeferral(options);
    // The runner looks here when a method ends, and finds out that a catch swallowed the deferral.
    PENDING_DEFERRALS.set(this, deferral);
    throw deferral;
  }

  /** The same as `defer`, as a value: for `startTrigger`. */
  protected deferral(options: DeferByNameOptions): TaskDeferred;
  protected deferral<Event, Resume extends ResumeMethod<Result, Event>>(
    options: DeferOptions<Event, Resume>,
  ): TaskDeferred;
  protected deferral(options: AnyDeferOptions): TaskDeferred {
    return this.makeDeferral(options);
  }

  private makeDeferral(options: AnyDeferOptions): TaskDeferred {
    return new TaskDeferred(options.trigger, {
      methodName: !('resume' in options) ? this.checkedMethodName(options.methodName) : this.nameOf(options.resume),
      kwargs: { ...options.kwargs },
      timeoutMs: options.timeout === undefined ? undefined : durationMs(options.timeout),
      onTimeout: options.onTimeout,
    });
  }

  /** A method is stored by its name, so its name must lead back to it. */
  private nameOf(resume: unknown): string {
    const fail = (reason: string) => new ResumeMethodError(this.constructor.name, this.taskId, reason);
    if (typeof resume !== 'function') {
      throw fail(
        `\`resume\` is ${resume === undefined ? 'undefined: the operator has no such method' : 'not a method'}. Pass one, such as this.executeComplete.`,
      );
    }
    const { name } = resume;
    if (name.startsWith('bound '))
      throw fail(`\`resume\` is a bound function. Pass this.${name.slice(6)} without bind.`);
    const own = (this as unknown as Record<string, unknown>)[name];
    if (name !== '' && own === resume) {
      if (isMethod(this, name)) return name;
      throw fail(
        `\`resume\` is the property "${name}", whose \`this\` is not the running task. Make it a method: ${name}() { … }.`,
      );
    }
    if (typeof own === 'function') {
      throw fail(`\`resume\` is a function named "${name}", but not this operator's method. Pass this.${name} itself.`);
    }
    throw fail(
      `\`resume\` is ${name ? `the function "${name}"` : 'an anonymous function'}, not a method of this operator, so it ` +
        'could not be found again. Make it a method of the class and pass this.<method>.',
    );
  }

  private checkedMethodName(methodName: string | undefined): string {
    if (methodName !== undefined && typeof (this as unknown as Record<string, unknown>)[methodName] === 'function')
      return methodName;
    throw new ResumeMethodError(this.constructor.name, this.taskId, `it has no method "${methodName}".`);
  }
}

/** An operator's arguments as a DAG author gives them. */
export type TemplatedArgs<Args> = {
  // An optional argument may be given as undefined, which is the same as leaving it out.
  [P in keyof Args]: Templated<Args[P]> | (Record<never, never> extends Pick<Args, P> ? undefined : never);
};

/** A method a task can go on with. Its result is the operator's. */
export type ResumeMethod<Result, Event> = (
  context: Context,
  event: TriggerEvent<Event>,
  kwargs: any,
) => Result | Promise<Result>;

export type DeferOptions<Event, Resume extends (...args: any[]) => unknown> = {
  readonly trigger: BaseTrigger<Event, any>;
  /** A method of this operator, such as `this.executeComplete`. Its second parameter must accept the trigger's event. */
  readonly resume: Resume;
  readonly methodName?: never;
  /** Fails the try if nothing came until then. Default: no limit but the task's execution timeout. */
  readonly timeout?: Duration;
  /** Default: `retry`. */
  readonly onTimeout?: TimeoutAction;
} & ResumeKwargs<Parameters<Resume>[2]>;

/** `kwargs` is the third parameter of the resume method: needed where it has one, and only what storage can keep. */
type ResumeKwargs<Kwargs> = [Kwargs] extends [undefined]
  ? { readonly kwargs?: Record<never, never> }
  : unknown extends Kwargs
    ? { readonly kwargs?: Readonly<Record<string, unknown>> }
    : Kwargs extends SerializableKwargs<Kwargs>
      ? Record<never, never> extends Kwargs
        ? { readonly kwargs?: Kwargs }
        : { readonly kwargs: Kwargs }
      : { readonly kwargs: SerializableKwargs<Kwargs> };

/** The same with the method's name as a text, which the compiler cannot check. */
export interface DeferByNameOptions {
  readonly trigger: BaseTrigger<any, any>;
  readonly methodName: string;
  readonly resume?: never;
  readonly kwargs?: object;
  readonly timeout?: Duration;
  readonly onTimeout?: TimeoutAction;
}

/** Defined by a class, and not an arrow function assigned to each instance. */
function isMethod(target: object, name: string): boolean {
  let holder: object | null = target;
  while (holder && !Object.hasOwn(holder, name)) holder = Object.getPrototypeOf(holder);
  return holder !== null && Object.hasOwn(holder, 'constructor');
}

interface AnyDeferOptions extends Omit<DeferByNameOptions, 'resume' | 'methodName'> {
  readonly methodName?: string;
  readonly resume?: unknown;
}

/**
 * A view of an operator with rendered arguments. The operator itself belongs to the DAG and is not touched, because
 * several runs of a task may go on in one process.
 */
export function bindArgs<O extends BaseOperator<any, any>>(operator: O, rendering: RenderResult<O['args']>): O {
  return Object.create(operator, {
    args: { value: rendering.value, enumerable: true },
    renderedArgs: { value: rendering.rendered },
  }) as O;
}

/** The deferral a view of an operator asked for, whether or not it reached the runner. */
export function pendingDeferral(operator: BaseOperator<any, any>): TaskDeferred | undefined {
  return PENDING_DEFERRALS.get(operator);
}

const PENDING_DEFERRALS = sharedInProcess('pendingDeferrals', () => new WeakMap<object, TaskDeferred>());
