import { readFileSync } from 'node:fs';
import { BaseHook, BaseOperator, BaseSensor, BaseTrigger, type ProviderManifest } from '@windhover/core';
import { expect, test } from 'vitest';
import * as door from '../src/index.ts';

const manifest = JSON.parse(
  readFileSync(new URL('../provider.json', import.meta.url), 'utf8'),
) as Required<ProviderManifest>;
const exported = Object.entries(door as Record<string, any>);
const namesOf = (entries: readonly { classpath: string }[]) => entries.map(({ classpath }) => classpath);
const classpathsOf = (isKind: (prototype: unknown) => boolean) =>
  exported
    .filter(([, value]) => typeof value === 'function' && isKind(value.prototype))
    .map(([name]) => `${manifest.name}#${name}`)
    .sort();

test('the manifest lists every operator, sensor, trigger and hook that is exported, and nothing else', () => {
  const isSensor = (value: unknown) => BaseSensor.isInstance(value);
  expect(namesOf(manifest.operators)).toEqual(classpathsOf((each) => BaseOperator.isInstance(each) && !isSensor(each)));
  expect(namesOf(manifest.sensors)).toEqual(classpathsOf(isSensor));
  expect(namesOf(manifest.triggers)).toEqual(classpathsOf((each) => BaseTrigger.isInstance(each)));
  expect(namesOf(manifest.hooks)).toEqual(classpathsOf((each) => BaseHook.isInstance(each)));
});

test('every trigger has the classpath under which it is exported, and says whether it is shared', () => {
  for (const { classpath, isShareable = false } of manifest.triggers) {
    const found = (door as Record<string, any>)[classpath.split('#')[1]!];
    expect(Object.hasOwn(found, 'classpath') && found.classpath).toBe(classpath);
    expect(found.shareable).toBe(isShareable);
  }
});

test('every connection type names a hook that declares it', () => {
  for (const { connType, hook } of manifest.connectionTypes) {
    expect((door as Record<string, any>)[hook.split('#')[1]!].connType).toBe(connType);
    expect(manifest.hooks.find(({ classpath }) => classpath === hook)?.connType).toBe(connType);
  }
});
