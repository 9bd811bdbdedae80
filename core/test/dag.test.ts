import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import manifest from '../provider.json' with { type: 'json' };
import {
  BaseOperator,
  branch,
  canonicalize,
  chain,
  type Dag,
  dag,
  eq,
  param,
  providerManifestSchema,
  resolveParams,
  serializeDag,
  serializedDagSchema,
  shortCircuit,
  sufficient,
  TimeDeltaTrigger,
  takeDagsMade,
  task,
  taskGroup,
  waitFor,
  watch,
} from '../src/index.ts';
import { runOperator } from '../src/testing/index.ts';
import { AcmeFileSensor, AcmeFileTrigger } from './fixtures/acme.ts';

const noop = () => {};
const edges = (made: Dag) =>
  [...made.tasks.values()]
    .flatMap((each) => [...each.downstreamTaskIds].map((next) => `${each.taskId} → ${next}`))
    .sort();

describe('dag()', () => {
  test('collects the operators made in its body, and the order between them', () => {
    const made = dag('d', {}, () => {
      const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => task(id, noop));
      chain(a!, [b!, c!], d!);
      a!.before(d!);
    });
    expect([...made.tasks.keys()]).toEqual(['a', 'b', 'c', 'd']);
    expect(edges(made)).toEqual(['a → b', 'a → c', 'a → d', 'b → d', 'c → d']);
    expect(made.topologicalOrder()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('makes an edge for each output that is an argument, however deep', () => {
    const made = dag('d', {}, () => {
      const rows = task('rows', () => [1]);
      const name = task('name', () => 'x');
      task('load', noop, { inputs: { deep: [{ rows: rows.output }], plain: name.output } });
    });
    expect(edges(made)).toEqual(['name → load', 'rows → load']);
  });

  test('before and after answer the other end, so that they can be chained', () => {
    const made = dag('d', {}, () => {
      const [a, b, c] = ['a', 'b', 'c'].map((id) => task(id, noop));
      a!.before(b!).before(c!);
      task('z', noop).after([a!, c!]);
    });
    expect(edges(made)).toEqual(['a → b', 'a → z', 'b → c', 'c → z']);
  });

  test('default arguments reach tasks that do not say otherwise', () => {
    const made = dag('d', { defaultArgs: { retries: 3, queue: 'big' } }, () => {
      task('a', noop);
      task('b', noop, { retries: 0 });
    });
    expect([...made.tasks.values()].map(({ options }) => [options.retries, options.queue])).toEqual([
      [3, 'big'],
      [0, 'big'],
    ]);
  });

  test.each([
    [
      'a cycle',
      () =>
        dag('d', {}, () => {
          const [a, b, c] = ['a', 'b', 'c'].map((id) => task(id, noop));
          chain(task('start', noop), a!, b!, c!, a!);
        }),
      /DAG "d" has a cycle: (a → b → c → a|b → c → a → b|c → a → b → c)\. Remove one of these edges\./,
    ],
    [
      'a task before itself',
      () =>
        dag('d', {}, () => {
          const a = task('a', noop);
          a.before(a);
        }),
      'DAG "d" has a cycle: a → a.',
    ],
    [
      'two tasks with one id',
      () =>
        dag('d', {}, () => {
          task('a', noop);
          task('a', noop);
        }),
      'DAG "d" has two tasks with the id "a". Rename one, or put them into different task groups.',
    ],
    ['an id with a space', () => dag('d', {}, () => void task('a b', noop)), '"a b" is not an id for a task'],
    ['a DAG id with a slash', () => dag('d/e', {}, noop), '"d/e" is not an id for a DAG'],
    ['an async body', () => dag('d', {}, async () => {}), 'The body of DAG "d" is async.'],
    [
      'a DAG in a DAG',
      () => dag('d', {}, () => void dag('e', {}, noop)),
      'DAG "e" is made inside the body of another DAG.',
    ],
    [
      'an edge between DAGs',
      () => {
        let a: BaseOperator<any, any> | undefined;
        dag('d', {}, () => {
          a = task('a', noop);
        });
        dag('e', {}, () => void task('b', noop).after(a!));
      },
      'Cannot put "a" (DAG d) before "b" (DAG e)',
    ],
    [
      'lists of different length side by side',
      () =>
        dag('d', {}, () => {
          const [a, b, c] = ['a', 'b', 'c'].map((id) => task(id, noop));
          chain([a!, b!], [c!]);
        }),
      'element 1 has 2 and element 2 has 1 tasks',
    ],
    [
      'a schedule without a start',
      () => dag('d', { schedule: '@daily' }, noop),
      'wrong option "startDate": a DAG with a schedule needs one',
    ],
    ['an unknown preset', () => dag('d', { schedule: '@dayly' }, noop), '"@dayly" is none of @hourly, @daily'],
    ['a broken cron expression', () => dag('d', { schedule: '0 0 *' }, noop), '"0 0 *" is not a cron expression'],
    [
      'an unknown time zone',
      () => dag('d', { schedule: { cron: '0 0 * * *', timezone: 'Europe/Atlantis' } }, noop),
      '"Europe/Atlantis" is not a time zone',
    ],
    [
      'an end before the start',
      () => dag('d', { startDate: new Date(1), endDate: new Date(0) }, noop),
      'it is before startDate',
    ],
    [
      'a task group with an async body',
      () => dag('d', {}, () => void taskGroup('g', async () => {})),
      'The body of task group "g" is async.',
    ],
    ['a task group outside', () => taskGroup('g', noop), 'Task group "g" is made outside of dag()'],
    [
      'a watcher in a task group',
      () => dag('d', {}, () => void taskGroup('g', () => watch(new AcmeFileTrigger({ connId: 'x' }), { signal: 's' }))),
      'belongs directly into the body of dag()',
    ],
  ] as [string, () => unknown, string | RegExp][])('refuses %s', (_what, make, message) => {
    expect(make).toThrow(message);
  });

  test('leaves no trace of a body that threw: the next DAG is its own', () => {
    expect(() =>
      dag('broken', {}, () => {
        throw new Error('x');
      }),
    ).toThrow('x');
    expect([...dag('next', {}, () => void task('a', noop)).tasks.keys()]).toEqual(['a']);
  });

  test('is remembered until somebody takes the list, so that one that is not exported can be named', () => {
    takeDagsMade();
    const made = dag('remembered', {}, noop);
    expect(takeDagsMade()).toEqual([made]);
    expect(takeDagsMade()).toEqual([]);
  });
});

describe('task groups', () => {
  test('prefix ids, nest, and connect by their first and last tasks', () => {
    const made = dag('d', {}, () => {
      const before = task('before', noop);
      const group = taskGroup('extract', () => {
        const a = task('a', noop);
        taskGroup('files', () => void task('b', noop).after(a));
      });
      chain(before, group, task('after', noop));
    });
    expect(edges(made)).toEqual(['before → extract.a', 'extract.a → extract.files.b', 'extract.files.b → after']);
    expect(serializeDag(made).taskGroups).toEqual([
      { groupId: 'extract', parentGroupId: null },
      { groupId: 'extract.files', parentGroupId: 'extract' },
    ]);
    expect(serializeDag(made).tasks.map(({ taskGroupId }) => taskGroupId)).toEqual([
      null,
      'extract',
      'extract.files',
      null,
    ]);
  });
});

describe('branching', () => {
  const build = (choose: () => string | string[] | null) => {
    let which: BaseOperator<any, any> | undefined;
    dag('d', {}, () => {
      which = branch('which', choose);
      const [full, delta, join] = ['full', 'delta', 'join'].map((id) => task(id, noop));
      which.before([full!, delta!, join!]);
      delta!.before(join!);
    });
    return runOperator(which!);
  };

  test('skips what was not chosen, but not what a chosen task leads to', async () => {
    expect(await build(() => 'delta')).toMatchObject({ skippedTaskIds: ['full'], result: ['delta'] });
    expect(await build(() => ['full'])).toMatchObject({ skippedTaskIds: ['delta', 'join'] });
    expect(await build(() => null)).toMatchObject({ skippedTaskIds: ['full', 'delta', 'join'] });
  });

  test('may choose a task group, and get outputs of other tasks as inputs', async () => {
    let which: BaseOperator<any, any> | undefined;
    dag('d', {}, () => {
      const count = task('count', () => 3);
      which = branch('which', (_context, { count }) => (count > 2 ? 'many' : 'few'), {
        inputs: { count: count.output },
      });
      const many = taskGroup('many', () => void task('x', noop).before(task('y', noop)));
      which.before([many, task('few', noop)]);
    });
    const run = await runOperator(which!, { xcoms: { count: 3 } });
    expect(run).toMatchObject({ result: ['many.x'], skippedTaskIds: ['few'] });
  });

  test('to a task that is not below it fails with the names', async () => {
    expect((await build(() => 'ful')).error!.message).toBe(
      'Branch "which" chose "ful", which is not directly below it. Directly below it: full, delta, join.',
    );
  });

  test('a short circuit skips all that comes after it', async () => {
    let check: BaseOperator<any, any> | undefined;
    dag('d', {}, () => {
      check = shortCircuit('has_rows', ({ conf }) => conf.rows === true);
      chain(check, task('a', noop), task('b', noop));
    });
    expect((await runOperator(check!)).skippedTaskIds).toEqual(['a', 'b']);
    expect((await runOperator(check!, { conf: { rows: true } })).skippedTaskIds).toEqual([]);
  });
});

describe('params', () => {
  const params = {
    env: param('string', { default: 'dev', enum: ['dev', 'prod'] }),
    days: param('integer', { default: 7, minimum: 1 }),
    day: param('string', { pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
  };

  test('take their values from the conf of the run, over their defaults', () => {
    expect(resolveParams('d', params, { day: '2026-01-01', env: 'prod', other: 1 })).toEqual({
      env: 'prod',
      days: 7,
      day: '2026-01-01',
    });
  });

  test.each([
    [
      {},
      'DAG "d" cannot run: param "day": it has no default and the run does not give it. Pass it in the run\'s conf: {"day": …}.',
    ],
    [{ day: 'today' }, 'param "day": "today" does not match'],
    [{ day: '2026-01-01', env: 'test' }, 'param "env": "test" is none of dev, prod'],
    [{ day: '2026-01-01', days: 0 }, 'param "days": 0 is less than 1'],
    [{ day: '2026-01-01', days: 1.5 }, 'param "days": 1.5 is not of the type integer'],
    [{ day: '2026-01-01', days: null }, 'param "days": null is not of the type integer'],
  ])('refuse the conf %j', (conf, message) => {
    expect(() => resolveParams('d', params, conf as never)).toThrow(message);
  });
});

describe('a serialized DAG', () => {
  const rich = () =>
    dag(
      'rich',
      {
        schedule: { cron: '0 6 * * 1-5', timezone: 'Europe/Berlin' },
        startDate: new Date('2026-01-01T00:00:00Z'),
        catchup: true,
        dagRunTimeout: '6h',
        params: { env: 'dev', days: 7 },
        startOn: [sufficient('order.placed', eq('kind', 'big'))],
        deadlines: [{ reference: 'queuedAt', interval: '2h', callback: noop }],
        tags: ['sales'],
        onFailure: noop,
      },
      ({ params }) => {
        watch(new AcmeFileTrigger({ connId: 'acme' }), { signal: 'order.placed' });
        const sensor = new AcmeFileSensor({
          taskId: 'wait',
          connId: 'acme',
          timeout: '1d',
          softFail: true,
          mode: 'reschedule',
        });
        const work = task('work', noop, {
          inputs: { days: params.days },
          retries: 2,
          retryDelay: '30s',
          onFailure: noop,
          executorConfig: { image: 'x' },
        });
        work.when(
          sufficient('watermark', () => true),
          'RESTART',
        );
        chain(sensor, waitFor('pause', new TimeDeltaTrigger({ delta: '1h' })), work);
        task('tick', noop, { every: { interval: '5m' }, streaming: true, doc: 'ticks' });
      },
    );

  test('fits its JSON Schema, and nothing is lost in JSON', () => {
    const ajv = new Ajv.default({ strict: true, allowUnionTypes: true });
    addFormats.default(ajv);
    const validate = ajv.compile(serializedDagSchema);
    const serialized = serializeDag(rich());
    validate(serialized);
    expect(validate.errors).toBe(null);
    expect(JSON.parse(JSON.stringify(serialized))).toEqual(serialized);
    validate({ ...serialized, fieldOfANewerCore: 1 });
    expect(validate.errors).toBe(null);
    validate({ ...serialized, dagId: undefined });
    expect(validate.errors).toMatchObject([{ keyword: 'required' }]);
    validate({ ...serialized, tasks: [{ ...serialized.tasks[0], triggerRule: 'whenever' }] });
    expect(validate.errors).toMatchObject([{ instancePath: '/tasks/0/triggerRule' }]);
  });

  test('is equal for equal DAGs and holds what the platform needs', () => {
    expect(canonicalize(serializeDag(rich()))).toBe(canonicalize(serializeDag(rich())));
    const { tasks, ...serialized } = serializeDag(rich());
    expect(serialized).toMatchObject({
      schedule: { type: 'cron', expression: '0 6 * * 1-5', timezone: 'Europe/Berlin' },
      dagRunTimeoutMs: 21_600_000,
      callbacks: ['onFailure'],
      deadlines: [{ reference: 'queuedAt', intervalMs: 7_200_000 }],
      params: { env: { type: 'string', default: 'dev' }, days: { type: 'number', default: 7 } },
      startOn: [{ type: 'sufficient', action: 'START', conditions: [{ key: 'order.placed', namespace: 'default' }] }],
      watchers: [
        {
          signal: 'order.placed',
          trigger: { classpath: AcmeFileTrigger.classpath, kwargs: { connId: 'acme' }, isShareable: true },
        },
      ],
    });
    expect(tasks).toMatchObject([
      {
        taskId: 'wait',
        operatorName: 'AcmeFileSensor',
        sensor: { timeoutMs: 86_400_000, softFail: true, mode: 'reschedule' },
      },
      { taskId: 'tick', every: { intervalMs: 300_000 }, streaming: true },
      { taskId: 'pause', startFromTrigger: true, upstreamTaskIds: ['wait'] },
      {
        taskId: 'work',
        retries: 2,
        retryDelayMs: 30_000,
        callbacks: ['onFailure'],
        signalRules: [{ action: 'RESTART', conditions: [{ predicate: { op: 'function' } }] }],
      },
    ]);
  });

  test('does not take function predicates for starting runs', () => {
    const made = dag('d', { startOn: [sufficient('x', () => true)] }, noop);
    expect(() => serializeDag(made)).toThrow('its rules take data predicates');
  });

  test('says where onSignal is code', () => {
    class Decides extends BaseOperator<void> {
      async execute() {}
      override onSignal() {
        return 'START' as const;
      }
    }
    const made = dag('d', {}, () => void new Decides({ taskId: 'a' }));
    expect(serializeDag(made).tasks[0]).toMatchObject({ hasSignalCode: true });
  });
});

describe("core's own manifest", () => {
  test('fits the JSON Schema of manifests and names triggers that exist', async () => {
    const validate = new Ajv.default({ strict: true }).compile(providerManifestSchema);
    validate(manifest);
    expect(validate.errors).toBe(null);
    const core: Record<string, any> = await import('../src/index.ts');
    for (const { classpath } of manifest.triggers) {
      const exportName = classpath.split('#')[1]!;
      expect(core[exportName].classpath).toBe(classpath);
    }
    expect(manifest.triggers.map(({ classpath }) => classpath.split('#')[1])).toEqual(
      Object.keys(core)
        .filter((name) => Object.hasOwn(core[name], 'classpath'))
        .sort(),
    );
  });
});
