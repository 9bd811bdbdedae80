import { globSync, readFileSync } from 'node:fs';
import { BaseHook, type ProviderManifest } from '@windhover/core';
import { expect, test } from 'vitest';
import untyped from '../provider.json' with { type: 'json' };

const manifest = untyped as ProviderManifest;
const packageJson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const KINDS = ['hooks', 'operators', 'sensors', 'triggers', 'xcomBackends', 'logStores'] as const;
const classpaths = KINDS.flatMap((kind) => (manifest[kind] ?? []).map(({ classpath }) => classpath));

test.each(classpaths)('%s leads to a class', async (classpath) => {
  const [specifier, name] = classpath.split('#');
  expect((await import(specifier!))[name!]).toBeTypeOf('function');
});

test('every class of every subpath is listed, once', async () => {
  const found: string[] = [];
  for (const subpath of Object.keys(packageJson.exports).filter((each) => each !== '.' && !each.endsWith('.json'))) {
    const specifier = `@windhover/provider-amazon${subpath.slice(1)}`;
    for (const [name, value] of Object.entries(await import(specifier)))
      if (typeof value === 'function' && KIND_OF_CLASS.test(name) && !ABSTRACT.has(name))
        found.push(`${specifier}#${name}`);
  }
  expect([...classpaths].sort()).toEqual(found.sort());
});

const KIND_OF_CLASS = /(Hook|Operator|Sensor|Trigger|XComBackend|LogStore)$/;
const ABSTRACT = new Set(['AwsJobOperator', 'AwsWaiterSensor', 'AwsWaiterTrigger']);

test('every static classpath of the sources is listed, and says what it may share', async () => {
  const sources = globSync('../src/**/*.ts', { cwd: import.meta.dirname });
  const own = sources.flatMap((file) => {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    return [...text.matchAll(/^ {2}static override readonly classpath = '([^']+)'/gm)].map(
      ([, classpath]) => classpath,
    );
  });
  expect((manifest.triggers ?? []).map(({ classpath }) => classpath).sort()).toEqual(own.sort());
  for (const { classpath, isShareable = false } of manifest.triggers ?? []) {
    const [specifier, name] = classpath.split('#');
    expect((await import(specifier!))[name!].shareable).toBe(isShareable);
  }
});

test('the form of the connection offers exactly the fields that are read', async () => {
  const [type] = manifest.connectionTypes!;
  const { connectionSettings } = await import('../src/aws/connection-settings.ts');
  const { Connection } = await import('@windhover/core');
  const fields = Object.keys((type!.extra as { properties: object }).properties);
  const extra = Object.fromEntries(fields.map((field) => [field, 'https://example.com']));
  expect(connectionSettings(new Connection('c', { connType: 'aws', extra }))).toEqual(extra);
  const [specifier, name] = type!.hook.split('#');
  const Hook = (await import(specifier!))[name!];
  expect(BaseHook.isInstance(new Hook({ connection: async () => {} }, 'aws_default'))).toBe(true);
});
