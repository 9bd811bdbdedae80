import type { ProviderManifest } from '@windhover/core';
import { BaseHook, BaseOperator, BaseSensor, BaseTrigger } from '@windhover/core';
import { describe, expect, test } from 'vitest';
import manifest from '../provider.json' with { type: 'json' };
import * as bigQuery from '../src/bigquery/index.ts';
import * as gcs from '../src/gcs/index.ts';
import * as google from '../src/index.ts';

const NAME = '@windhover/provider-google';
const doors: Record<string, Record<string, unknown>> = {
  [NAME]: google,
  [`${NAME}/bigquery`]: bigQuery,
  [`${NAME}/gcs`]: gcs,
};
const { hooks, operators, sensors, triggers, connectionTypes } = manifest as unknown as Required<ProviderManifest>;
const named = (base: { prototype: object }) =>
  Object.entries(doors).flatMap(([door, exports]) =>
    Object.entries(exports)
      .filter(([, value]) => typeof value === 'function' && value.prototype instanceof (base as never))
      .map(([name]) => `${door}#${name}`),
  );
const classpaths = (entries: readonly { classpath: string }[]) => entries.map(({ classpath }) => classpath).sort();

describe('provider.json', () => {
  test('lists every hook, operator, sensor and trigger that is exported, and no other', () => {
    const allSensors = named(BaseSensor);
    expect(classpaths(hooks)).toEqual(named(BaseHook).sort());
    expect(classpaths(sensors)).toEqual(allSensors.sort());
    expect(classpaths(operators)).toEqual(
      named(BaseOperator)
        .filter((each) => !allSensors.includes(each))
        .sort(),
    );
    expect(classpaths(triggers)).toEqual(named(BaseTrigger).sort());
  });

  test('names each trigger as the class names itself', () => {
    for (const { classpath } of triggers) {
      const [door, name] = classpath.split('#') as [string, string];
      const found = doors[door]![name] as { classpath: string };
      expect(Object.hasOwn(found, 'classpath') && found.classpath).toBe(classpath);
    }
  });

  test('gives its connection type a hook that is listed', () => {
    for (const { hook, connType } of connectionTypes)
      expect(hooks).toContainEqual(expect.objectContaining({ classpath: hook, connType }));
  });
});
