import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as core from '../src/index.ts';

class AcmeTrigger extends core.BaseTrigger<string, { id: string }> {
  static override readonly classpath = 'acme#AcmeTrigger';
  async *run(): AsyncGenerator<core.TriggerEvent<string>> {
    yield new core.TriggerEvent('done');
  }
}

const trigger = new AcmeTrigger({ id: 'a' });
const cause = new Error('socket closed');

function deferralAt(location: string): core.TaskDeferred {
  const deferral = new core.TaskDeferred(trigger, { methodName: 'executeComplete' });
  deferral.stack = `TaskDeferred: x\n    at new TaskDeferred (core.js:1:1)\n    at Op.defer (core.js:2:2)\n    at ${location}`;
  return deferral;
}

interface Case {
  readonly error: Error;
  readonly message: string;
  /** Absent for signals to the runner, which are no failures. */
  readonly code?: string;
  readonly isRetryable?: boolean;
  /** The facts of the error, as fields. */
  readonly fields?: Record<string, unknown>;
}

/** One case for each error class that core exports; the first test fails if one is missing. */
const CASES: Record<string, readonly Case[]> = {
  ClasspathError: [
    {
      error: new core.ClasspathError('./x', 'it is a path'),
      message:
        'Not a classpath: "./x": it is a path. Write "<package>/<subpath>#<export>", such as ' +
        '"@windhover/provider-amazon/s3#S3KeyTrigger", or "project:<file>#<export>" for a file of the project.',
      code: 'E_CLASSPATH',
      isRetryable: false,
      fields: { classpath: './x' },
    },
  ],
  ClasspathMismatchError: [
    {
      error: new core.ClasspathMismatchError('Child', 'acme#Parent', 'it inherited that one.'),
      message: 'Cannot store Child by its classpath "acme#Parent": it inherited that one.',
      code: 'E_CLASSPATH_MISMATCH',
      isRetryable: false,
      fields: { className: 'Child', classpath: 'acme#Parent' },
    },
    {
      error: new core.ClasspathMismatchError('Child', undefined, 'it has none.'),
      message: 'Cannot store Child by its classpath: it has none.',
      code: 'E_CLASSPATH_MISMATCH',
      isRetryable: false,
      fields: { className: 'Child', classpath: undefined },
    },
  ],
  ConnectionNotFoundError: [
    {
      error: new core.ConnectionNotFoundError('sales-db'),
      message:
        'There is no connection "sales-db". Add it with: windhover connections add sales-db --uri \'…\', ' +
        'or set WINDHOVER_CONN_SALES_DB in the environment of the platform.',
      code: 'E_CONNECTION_NOT_FOUND',
      isRetryable: false,
      fields: { connId: 'sales-db' },
    },
  ],
  ConnectionUriError: [
    {
      error: new core.ConnectionUriError('db', 'it is empty', { cause }),
      message:
        'The URI of connection "db" cannot be read: it is empty. Write ' +
        '"type://login:password@host:port/schema?key=value", each part percent-encoded where it holds : / ? # @ or %.',
      code: 'E_CONNECTION_URI',
      isRetryable: false,
      fields: { connId: 'db', cause },
    },
  ],
  DagCycleError: [
    {
      error: new core.DagCycleError('daily', ['a', 'b', 'a']),
      message: 'DAG "daily" has a cycle: a → b → a. Remove one of these edges.',
      code: 'E_DAG_CYCLE',
      isRetryable: false,
      fields: { dagId: 'daily', cycle: ['a', 'b', 'a'] },
    },
  ],
  DagDefinitionError: [
    {
      error: new core.DagDefinitionError('The body is async.', { cause }),
      message: 'The body is async.',
      code: 'E_DAG_DEFINITION',
      isRetryable: false,
      fields: { cause },
    },
  ],
  DeferralTimeoutError: [
    {
      error: new core.DeferralTimeoutError('load', 5000),
      message:
        'Task "load" waited 5000 ms and its trigger did not fire. Raise the timeout of its deferral if this wait is normal.',
      code: 'E_DEFERRAL_TIMEOUT',
      isRetryable: true,
      fields: { taskId: 'load', timeoutMs: 5000 },
    },
    {
      error: new core.DeferralTimeoutError('load', 5000, false),
      message:
        'Task "load" waited 5000 ms and its trigger did not fire. Raise the timeout of its deferral if this wait is normal.',
      code: 'E_DEFERRAL_TIMEOUT',
      isRetryable: false,
    },
  ],
  DeserializationError: [
    {
      error: new core.DeserializationError('$decimal'),
      message:
        'Cannot read stored data: unknown tag "$decimal". It was written by a newer version of @windhover/core, ' +
        'or by hand; update core in this process, or write the data with serialize().',
      code: 'E_DESERIALIZE',
      isRetryable: false,
      fields: { tag: '$decimal' },
    },
  ],
  DuplicateTaskIdError: [
    {
      error: new core.DuplicateTaskIdError('daily', 'load'),
      message: 'DAG "daily" has two tasks with the id "load". Rename one, or put them into different task groups.',
      code: 'E_DUPLICATE_TASK_ID',
      isRetryable: false,
      fields: { dagId: 'daily', taskId: 'load' },
    },
  ],
  ExecutionTimeoutError: [
    {
      error: new core.ExecutionTimeoutError('load', 5000),
      message: 'Task "load" did not end within its executionTimeout of 5000 ms, its waits included.',
      code: 'E_EXECUTION_TIMEOUT',
      isRetryable: true,
      fields: { taskId: 'load', timeoutMs: 5000 },
    },
  ],
  ExecutorStoppedError: [
    {
      error: new core.ExecutorStoppedError('LocalExecutor', 'task:7:1'),
      message:
        'LocalExecutor has been stopped and takes no more work; workload "task:7:1" was not queued. Queue it on another scheduler.',
      code: 'E_EXECUTOR_STOPPED',
      isRetryable: false,
      fields: { workloadId: 'task:7:1' },
    },
  ],
  InvalidDurationError: [
    {
      error: new core.InvalidDurationError('soon'),
      message:
        'Not a duration: "soon". Write "250ms", "30s", "5m", "8h" or "1d", or an object such as { hours: 1, minutes: 30 }, not negative.',
      code: 'E_DURATION',
      isRetryable: false,
      fields: { value: 'soon' },
    },
  ],
  InvalidIdError: [
    {
      error: new core.InvalidIdError('DAG', 'a b'),
      message: '"a b" is not an id for a DAG: use 1 to 250 letters, digits, "_", "-" and ".".',
      code: 'E_INVALID_ID',
      isRetryable: false,
      fields: { kind: 'DAG', id: 'a b' },
    },
    {
      error: new core.InvalidIdError('task group', undefined),
      message: 'undefined is not an id for a task group: use 1 to 250 letters, digits, "_", "-".',
      code: 'E_INVALID_ID',
      isRetryable: false,
      fields: { kind: 'task group', id: undefined },
    },
  ],
  InvalidOptionError: [
    {
      error: new core.InvalidOptionError('Task "load"', 'retries', '-1 is not a whole number of at least 0'),
      message: 'Task "load" has a wrong option "retries": -1 is not a whole number of at least 0.',
      code: 'E_OPTION',
      isRetryable: false,
      fields: { subject: 'Task "load"', option: 'retries' },
    },
  ],
  InvalidTransitionError: [
    {
      error: new core.InvalidTransitionError('task instance', 'success', 'running', ['none', 'failed']),
      message: 'The task instance cannot go from "success" to "running". From "success" it can become: none, failed.',
      code: 'E_INVALID_TRANSITION',
      isRetryable: false,
      fields: { from: 'success', to: 'running' },
    },
  ],
  JobFailedError: [
    {
      error: new core.JobFailedError('job-1 failed: quota'),
      message: 'job-1 failed: quota',
      code: 'E_JOB_FAILED',
      isRetryable: true,
      fields: { dropsSteps: true },
    },
  ],
  PrivateFieldError: [
    {
      error: new core.PrivateFieldError('AcmeOperator', new Error('Cannot read private member #x')),
      message:
        'AcmeOperator uses a #private field, which does not exist on the view a task runs on: Cannot read private ' +
        "member #x. Use TypeScript's private instead of #.",
      code: 'E_PRIVATE_FIELD',
      isRetryable: false,
      fields: { operatorName: 'AcmeOperator' },
    },
  ],
  ParamError: [
    {
      error: new core.ParamError('daily', 'days', '0 is less than 1'),
      message: 'DAG "daily" cannot run: param "days": 0 is less than 1. Pass it in the run\'s conf: {"days": …}.',
      code: 'E_PARAM',
      isRetryable: false,
      fields: { dagId: 'daily', param: 'days' },
    },
  ],
  PollBudgetError: [
    {
      error: new core.PollBudgetError(11, cause),
      message:
        'Polling gave up after 11 failures in a row; the last: socket closed. ' +
        'Check the outside service; raise `maxFailures` if such outages are normal.',
      code: 'E_POLL_BUDGET',
      isRetryable: true,
      fields: { failures: 11, cause },
    },
  ],
  PollTimeoutError: [
    {
      error: new core.PollTimeoutError(new Date(0), cause),
      message:
        'Polling ended at 1970-01-01T00:00:00.000Z and had found nothing. The last check failed: socket closed. ' +
        'Poll longer if such a wait is normal.',
      code: 'E_POLL_TIMEOUT',
      isRetryable: true,
      fields: { until: new Date(0), cause },
    },
    {
      error: new core.PollTimeoutError(new Date(0)),
      message: 'Polling ended at 1970-01-01T00:00:00.000Z and had found nothing. Poll longer if such a wait is normal.',
      code: 'E_POLL_TIMEOUT',
      isRetryable: true,
    },
  ],
  ResumeMethodError: [
    {
      error: new core.ResumeMethodError('AcmeOperator', 'load', 'it has no method "x".'),
      message: 'AcmeOperator "load" cannot be deferred: it has no method "x".',
      code: 'E_RESUME_METHOD',
      isRetryable: false,
      fields: { operatorName: 'AcmeOperator', taskId: 'load' },
    },
  ],
  SensorTimeoutError: [
    {
      error: new core.SensorTimeoutError('wait', 5000),
      message:
        'Sensor "wait" waited 5000 ms and what it waits for did not come. ' +
        'Raise its `timeout`, or set `softFail` to skip instead; clearing the task begins a new wait.',
      code: 'E_SENSOR_TIMEOUT',
      isRetryable: false,
      fields: { timeoutMs: 5000 },
    },
  ],
  SerializationError: [
    {
      error: new core.SerializationError('kwargs.hook', 'a function', 'Pass data.'),
      message: 'Cannot store kwargs.hook: it is a function. Pass data.',
      code: 'E_SERIALIZE',
      isRetryable: false,
      fields: { path: 'kwargs.hook', found: 'a function', hint: 'Pass data.' },
    },
  ],
  StaleEpochError: [
    {
      error: new core.StaleEpochError('Task instance 7', 3),
      message:
        'Task instance 7 is no longer held under epoch 3: it was handed on, cleared or stopped meanwhile. ' +
        'Nothing was changed; stop working on it.',
      code: 'E_STALE_EPOCH',
      isRetryable: false,
      fields: { subject: 'Task instance 7', epoch: 3 },
    },
  ],
  StepMismatchError: [
    {
      error: new core.StepMismatchError('load', 1, 'submit', 'cancel'),
      message:
        'Task "load" was replayed and came to step "cancel" where it had step "submit" before (number 2). Between ' +
        'steps a function must do the same each time: put what depends on time, chance or the outside into a step, ' +
        'or clear the task to begin anew with the changed code.',
      code: 'E_STEP_MISMATCH',
      isRetryable: false,
      fields: { expected: 'submit', found: 'cancel' },
    },
  ],
  SwallowedDeferralError: [
    {
      error: new core.SwallowedDeferralError('load', deferralAt('Op.execute (dags/daily.ts:12:10)'), 'returned', {
        cause,
      }),
      message:
        'Task "load" deferred at Op.execute (dags/daily.ts:12:10), but a catch around it swallowed the deferral and ' +
        'the method returned. Call defer outside of try, or rethrow: if (TaskDeferred.isInstance(error)) throw error;',
      code: 'E_DEFERRAL_SWALLOWED',
      isRetryable: false,
      fields: { taskId: 'load', location: 'Op.execute (dags/daily.ts:12:10)', cause },
    },
  ],
  TaskDeferred: [
    {
      error: new core.TaskDeferred(trigger, { methodName: 'executeComplete' }),
      message: 'The task defers to AcmeTrigger and goes on at executeComplete.',
      fields: { trigger, methodName: 'executeComplete', kwargs: {}, timeoutMs: undefined, onTimeout: 'retry' },
    },
    {
      error: new core.TaskDeferred(trigger, {
        methodName: 'executeComplete',
        kwargs: { id: 'a' },
        timeoutMs: 5,
        onTimeout: 'skip',
      }),
      message: 'The task defers to AcmeTrigger and goes on at executeComplete.',
      fields: { kwargs: { id: 'a' }, timeoutMs: 5, onTimeout: 'skip' },
    },
  ],
  TaskFailed: [
    {
      error: new core.TaskFailed('The account is closed.', { cause }),
      message: 'The account is closed.',
      code: 'E_TASK_FAILED',
      isRetryable: false,
      fields: { cause },
    },
  ],
  TaskRescheduled: [
    {
      error: new core.TaskRescheduled(new Date(0)),
      message: 'The task asks to run again at 1970-01-01T00:00:00.000Z.',
      fields: { at: new Date(0), methodName: 'execute', kwargs: {} },
    },
    {
      error: new core.TaskRescheduled(new Date(0), { methodName: 'again', kwargs: { checks: 1 } }),
      message: 'The task asks to run again at 1970-01-01T00:00:00.000Z.',
      fields: { methodName: 'again', kwargs: { checks: 1 } },
    },
  ],
  TaskSkipped: [
    { error: new core.TaskSkipped(), message: 'The task asked to be skipped.' },
    { error: new core.TaskSkipped('No rows.'), message: 'No rows.' },
  ],
  TemplateError: [
    {
      error: new core.TemplateError('args.key', cause),
      message: 'The template of args.key failed: socket closed',
      code: 'E_TEMPLATE',
      isRetryable: true,
      fields: { path: 'args.key', cause },
    },
  ],
  TriggerNoEventError: [
    {
      error: new core.TriggerNoEventError('acme#AcmeTrigger'),
      message:
        'The trigger acme#AcmeTrigger ended without an event, so its task would wait for ever. ' +
        'Its run() must yield a TriggerEvent on every path, or throw.',
      code: 'E_TRIGGER_NO_EVENT',
      isRetryable: false,
      fields: { classpath: 'acme#AcmeTrigger' },
    },
  ],
  VariableNotFoundError: [
    {
      error: new core.VariableNotFoundError('region'),
      message: 'There is no variable "region". Set it with: windhover variables set region \'<value>\'.',
      code: 'E_VARIABLE_NOT_FOUND',
      isRetryable: false,
      fields: { key: 'region' },
    },
  ],
};

const errorClasses = Object.entries(core as Record<string, unknown>)
  .filter(([, value]) => typeof value === 'function' && value.prototype instanceof Error)
  .map(([name]) => name)
  // Abstract: it has no code of its own.
  .filter((name) => name !== 'WindhoverError');

describe('errors', () => {
  test('every error class that core exports has a case here', () => {
    expect(Object.keys(CASES).sort()).toStrictEqual(errorClasses.sort());
  });

  describe.each(Object.entries(CASES))('%s', (name, cases) => {
    test.each(cases)('says what happened, with which thing, and what to do: $message', (each) => {
      expect(each.error).toBeInstanceOf((core as Record<string, any>)[name]);
      expect(each.error.name).toBe(name);
      expect(each.error.message).toBe(each.message);
      expect((each.error as { code?: string }).code).toBe(each.code);
      expect((each.error as { isRetryable?: boolean }).isRetryable).toBe(each.isRetryable);
      expect(each.error).toMatchObject(each.fields ?? {});
      expect(core.WindhoverError.isWindhoverError(each.error)).toBe(each.code !== undefined);
    });
  });

  test('every code is the code of one class only', () => {
    const codes = Object.values(CASES).map(([first]) => first!.code);
    const named = codes.filter((code) => code !== undefined);
    expect(named).toStrictEqual([...new Set(named)]);
  });

  test('an error is recognized by its brand, also from another copy of core', () => {
    expect(core.WindhoverError.isWindhoverError({ [Symbol.for('windhover.WindhoverError')]: true })).toBe(true);
    expect(core.WindhoverError.isWindhoverError(new Error('x'))).toBe(false);
    expect(core.WindhoverError.isWindhoverError('x')).toBe(false);
  });

  test.each([
    ['TaskDeferred', core.TaskDeferred, new core.TaskDeferred(trigger, { methodName: 'x' })],
    ['TaskRescheduled', core.TaskRescheduled, new core.TaskRescheduled(new Date(0))],
    ['TaskSkipped', core.TaskSkipped, new core.TaskSkipped()],
    ['TaskFailed', core.TaskFailed, new core.TaskFailed('x')],
    ['StaleEpochError', core.StaleEpochError, new core.StaleEpochError('x', 1)],
  ])('%s is told from all others by its own brand', (name, type, error) => {
    const others = Object.entries(CASES)
      .filter(([other]) => other !== name && !(name === 'TaskFailed' && other === 'SensorTimeoutError'))
      .map(([, [first]]) => first!.error);
    expect(type.isInstance(error)).toBe(true);
    expect(others.filter((other) => type.isInstance(other))).toStrictEqual([]);
  });

  test('a sensor that waited in vain has failed for good', () => {
    expect(core.TaskFailed.isInstance(new core.SensorTimeoutError('wait', 1))).toBe(true);
  });

  test('an id that is a bigint is refused with an InvalidIdError, not with a TypeError', () => {
    expect(() => new core.InvalidIdError('task', 7n)).not.toThrow();
  });

  test('a swallowed deferral is located at the line that called defer', () => {
    class SwallowingOperator extends core.BaseOperator<unknown> {
      execute(): unknown {
        try {
          this.defer({ trigger, methodName: 'execute' });
        } catch (error) {
          return error;
        }
      }
    }
    const deferral = new SwallowingOperator({ taskId: 'swallow' }).execute() as core.TaskDeferred;
    expect(new core.SwallowedDeferralError('swallow', deferral, 'returned').location).toContain('errors.test.ts');
  });
});

describe('docs/errors.md', () => {
  const rows = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `E_'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

  const known = Object.entries(CASES)
    .filter(([, [first]]) => first!.code !== undefined)
    .map(([name, [first]]) => [`\`${first!.code}\``, `\`${name}\``]);

  test('has one line for each code of core, with its class', () => {
    const listed = rows.map(([code, className]) => [code, className]);
    for (const each of known) expect(listed.filter(([code]) => code === each[0])).toStrictEqual([each]);
  });

  test('says of each code what happened and what to do', () => {
    expect(rows.filter((cells) => cells.length !== 4 || cells.some((cell) => cell === ''))).toStrictEqual([]);
  });

  test('is sorted by code', () => {
    const codes = rows.map(([code]) => code!.replaceAll('`', ''));
    expect(codes).toStrictEqual(codes.toSorted());
  });
});

describe('serializeError', () => {
  test('keeps what an error of Windhover says, without its class', () => {
    const error = new core.TemplateError('args.key', cause);
    expect(core.serializeError(error)).toStrictEqual({
      name: 'TemplateError',
      message: 'The template of args.key failed: socket closed',
      code: 'E_TEMPLATE',
      stack: error.stack,
      isRetryable: true,
      cause: { name: 'Error', message: 'socket closed', stack: cause.stack },
    });
  });

  test('gives plain JSON', () => {
    const serialized = core.serializeError(new core.TaskFailed('x', { cause: new core.StaleEpochError('y', 1) }));
    expect(JSON.parse(JSON.stringify(serialized))).toStrictEqual(serialized);
  });

  test('says nothing of retries for an error that says nothing', () => {
    expect(core.serializeError(new TypeError('x'))).not.toHaveProperty('isRetryable');
  });

  test('keeps a code that is a text, and no other', () => {
    expect(core.serializeError(Object.assign(new Error('x'), { code: 'ENOENT' })).code).toBe('ENOENT');
    expect(core.serializeError(Object.assign(new Error('x'), { code: 14 }))).not.toHaveProperty('code');
  });

  test('follows five causes and no more', () => {
    const chain = Array.from({ length: 10 }).reduce<Error | undefined>(
      (inner, _item, index) => new Error(`level ${9 - index}`, inner ? { cause: inner } : undefined),
      undefined,
    );
    expect(messagesOf(core.serializeError(chain))).toStrictEqual([0, 1, 2, 3, 4, 5].map((level) => `level ${level}`));
  });

  test('comes to an end in a cycle of causes', () => {
    const [a, b] = [new Error('a'), new Error('b')];
    a.cause = b;
    b.cause = a;
    expect(messagesOf(core.serializeError(a))).toStrictEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  test.each<[string, unknown, string]>([
    ['a text', 'odd', 'odd'],
    ['a number', 7, '7'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a plain object', {}, '[object Object]'],
    ['an object without a prototype', Object.create(null), '[object Object]'],
    ['an object with a text of its own', { toString: () => 'own text' }, 'own text'],
  ])('makes an error of %s that was thrown', (_name, thrown, message) => {
    expect(core.serializeError(thrown)).toStrictEqual({ name: 'Error', message });
  });

  test('takes name and message of an object that looks like an error', () => {
    expect(core.serializeError({ name: 'GrpcError', message: 'unavailable', details: 1 })).toStrictEqual({
      name: 'GrpcError',
      message: 'unavailable',
    });
  });

  test('takes a cause that is no error', () => {
    expect(core.serializeError(new Error('x', { cause: 'odd' })).cause).toStrictEqual({
      name: 'Error',
      message: 'odd',
    });
  });
});

function messagesOf(error: core.SerializedError | undefined): string[] {
  return error ? [error.message, ...messagesOf(error.cause)] : [];
}
