import type { TriggerContext } from '../context/context.ts';
import { isPlainObject } from '../serde/serialize.ts';
import { Template } from './template.ts';
import { TemplateError } from './template-error.ts';

/** What one template gave, by its place: `[['bucketKey'], 'in/2026.csv']`. Plain data if the values are. */
export type RenderedValue = readonly [path: readonly (string | number)[], value: unknown];

export interface RenderResult<T> {
  readonly value: T;
  /** Each rendered template, so that a deferred task can go on with the same values elsewhere. */
  readonly rendered: readonly RenderedValue[];
}

/** Renders all templates in plain objects and arrays, together. What holds no template is kept, not copied. */
export async function render<T>(value: unknown, context: TriggerContext, name = 'args'): Promise<RenderResult<T>> {
  const places = findTemplates(value);
  const rendered = await Promise.all(
    places.map(async ([path, found]): Promise<RenderedValue> => {
      try {
        return [path, await found.render(context)];
      } catch (error) {
        throw new TemplateError([name, ...path].join('.'), error);
      }
    }),
  );
  return { value: applyRendered(value, rendered) as T, rendered };
}

/** Puts values rendered before into a fresh copy of the arguments. */
export function applyRendered(value: unknown, rendered: readonly RenderedValue[]): unknown {
  return rendered.reduce((result, [path, item]) => replaceAt(result, path, item), value);
}

/** All templates in plain objects and arrays, with their places. */
export function findTemplates(
  value: unknown,
  path: readonly (string | number)[] = [],
  parents: readonly unknown[] = [],
): [typeof path, Template<unknown>][] {
  if (Template.isInstance(value)) return [[path, value]];
  if (parents.includes(value)) return [];
  const inside = [...parents, value];
  if (Array.isArray(value)) return value.flatMap((item, index) => findTemplates(item, [...path, index], inside));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => findTemplates(item, [...path, key], inside));
}

function replaceAt(container: unknown, path: readonly (string | number)[], item: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return item;
  const copy = (Array.isArray(container) ? [...container] : { ...(container as object) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = replaceAt(copy[key], rest, item);
  return copy;
}
