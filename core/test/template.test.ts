import { describe, expect, test } from 'vitest';
import {
  applyRendered,
  BaseOperator,
  findTemplates,
  Output,
  render,
  Template,
  TemplateError,
  type TriggerContext,
  template,
} from '../src/index.ts';

class ExtractOperator extends BaseOperator<number> {
  execute(): number {
    return 1;
  }
}

const results: Record<string, unknown> = { extract: 42 };
const context = {
  runId: 'manual__x',
  params: { name: 'Ada' },
  xcom: { pull: async (taskId: string) => results[taskId] },
} as unknown as TriggerContext;

describe('render', () => {
  test('renders templates at any depth of objects and lists', async () => {
    const args = { a: { b: [1, { c: template(({ runId }) => runId) }] }, d: template(async () => 'later') };
    const { value, rendered } = await render(args, context);
    expect(value).toStrictEqual({ a: { b: [1, { c: 'manual__x' }] }, d: 'later' });
    expect(rendered).toStrictEqual([
      [['a', 'b', 1, 'c'], 'manual__x'],
      [['d'], 'later'],
    ]);
  });

  test('renders a value that is a template itself', async () => {
    expect(
      await render(
        template(() => 7),
        context,
      ),
    ).toStrictEqual({ value: 7, rendered: [[[], 7]] });
  });

  test('gives each template the context', async () => {
    const { value } = await render({ name: template(({ params }) => params.name) }, context);
    expect(value).toStrictEqual({ name: 'Ada' });
  });

  test('takes the output of a task for its result', async () => {
    const { output } = new ExtractOperator({ taskId: 'extract' });
    expect(Output.isInstance(output)).toBe(true);
    expect((await render({ rows: [output] }, context)).value).toStrictEqual({ rows: [42] });
  });

  test('leaves plain functions alone, so that an operator can take callbacks', async () => {
    let isCalled = false;
    const check = () => {
      isCalled = true;
    };
    const { value } = await render<{ check: unknown }>({ check, other: template(() => 1) }, context);
    expect(value.check).toBe(check);
    expect(isCalled).toBe(false);
  });

  test('keeps a value without templates as it is, not a copy', async () => {
    const args = { a: [{ b: 1 }], at: new Date(0) };
    const { value, rendered } = await render(args, context);
    expect(value).toBe(args);
    expect(rendered).toStrictEqual([]);
  });

  test('keeps everything beside a template as it is, not a copy', async () => {
    const beside = { list: [1], at: new Date(0) };
    const { value } = await render<{ beside: unknown; list: unknown[] }>(
      { beside, list: [beside, template(() => 1)] },
      context,
    );
    expect(value.beside).toBe(beside);
    expect(value.list[0]).toBe(beside);
  });

  test('does not touch the arguments it was given', async () => {
    const name = template(() => 'x');
    const args = { deep: { list: [name] } };
    await render(args, context);
    expect(args.deep.list[0]).toBe(name);
  });

  test('does not look into maps, sets and class instances', async () => {
    const inner = template(() => 1);
    const args = {
      map: new Map([['a', inner]]),
      set: new Set([inner]),
      box: new (class Box {
        inner = inner;
      })(),
    };
    const { value, rendered } = await render(args, context);
    expect(value).toBe(args);
    expect(rendered).toStrictEqual([]);
  });

  test('does not render what a template gave', async () => {
    const inner = template(() => 'inner');
    const { value } = await render<{ a: unknown }>({ a: template(() => inner) }, context);
    expect(value.a).toBe(inner);
  });

  test('keeps a template that gives undefined as undefined', async () => {
    expect((await render({ a: template(() => undefined) }, context)).value).toStrictEqual({ a: undefined });
  });

  test('keeps a key __proto__ a key', async () => {
    const args = Object.fromEntries([['__proto__', template(() => ({ isAdmin: true }))]]);
    const { value } = await render<Record<string, unknown>>(args, context);
    expect(Object.keys(value)).toStrictEqual(['__proto__']);
    expect(value.isAdmin).toBeUndefined();
  });

  test('renders all templates side by side', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const args = {
      first: template(() => promise),
      second: template(() => {
        resolve('from the second');
        return 2;
      }),
    };
    expect((await render(args, context)).value).toStrictEqual({ first: 'from the second', second: 2 });
  });

  test.each<[string, () => unknown, string]>([
    [
      'throws an error',
      () => {
        throw new Error('no such param');
      },
      'no such param',
    ],
    ['rejects', () => Promise.reject(new Error('no such XCom')), 'no such XCom'],
    [
      'throws something else',
      () => {
        throw 'odd';
      },
      'odd',
    ],
  ])('names the place of a template that %s', async (_name, fail, message) => {
    const error = await render({ files: [{ key: template(fail) }] }, context).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TemplateError);
    expect(error).toMatchObject({
      path: 'args.files.0.key',
      message: `The template of args.files.0.key failed: ${message}`,
      isRetryable: true,
    });
  });

  test('keeps the error of a template as the cause', async () => {
    const cause = new Error('x');
    const failing = template(() => {
      throw cause;
    });
    await expect(render({ a: failing }, context, 'inputs')).rejects.toMatchObject({ path: 'inputs.a', cause });
  });
});

describe('applyRendered', () => {
  test('puts rendered values into a fresh copy of the arguments, elsewhere', async () => {
    const make = () => ({ check: () => 1, files: [{ key: template(({ runId }) => `in/${runId}`) }, 'plain'] });
    const { value, rendered } = await render<{ files: unknown }>(make(), context);
    const stored = JSON.parse(JSON.stringify(rendered));
    const fresh = make();
    const applied = applyRendered(fresh, stored) as { check: unknown; files: unknown };
    expect(applied.files).toStrictEqual(value.files);
    expect(applied.check).toBe(fresh.check);
  });

  test('changes neither the arguments nor their lists', () => {
    const args = { files: ['a', 'b'] };
    const applied = applyRendered(args, [[['files', 1], 'c']]) as typeof args;
    expect(applied).toStrictEqual({ files: ['a', 'c'] });
    expect(Array.isArray(applied.files)).toBe(true);
    expect(args).toStrictEqual({ files: ['a', 'b'] });
  });

  test('gives the arguments themselves where nothing was rendered', () => {
    const args = { a: 1 };
    expect(applyRendered(args, [])).toBe(args);
  });

  test('replaces the whole value at an empty path', () => {
    expect(applyRendered('old', [[[], 'new']])).toBe('new');
  });
});

describe('findTemplates', () => {
  test('finds templates with their places', () => {
    const found = template(() => 1);
    expect(findTemplates({ a: [0, found], b: { c: found }, d: () => found })).toStrictEqual([
      [['a', 1], found],
      [['b', 'c'], found],
    ]);
  });

  test('comes to an end in arguments with a cycle', () => {
    const found = template(() => 1);
    const config: Record<string, unknown> = { found };
    config.self = config;
    expect(findTemplates(config)).toStrictEqual([[['found'], found]]);
  });

  test('recognizes a template of another copy of core by its brand', () => {
    const foreign = Object.assign(Object.create({ [Symbol.for('windhover.Template')]: true }), { render: () => 1 });
    expect(Template.isInstance(foreign)).toBe(true);
    expect(findTemplates([foreign])).toHaveLength(1);
  });
});
