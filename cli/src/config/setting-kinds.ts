import { type Duration, durationMs, parseClasspath } from '@windhover/core';
import * as z from 'zod';
import type { Size } from './define-config.ts';
import type { Plugin } from './resolved-config.ts';

/** One setting: how it is read and checked, and its default. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** What the schema accepts, in words: «expected …». */
  readonly expected: string;
  /** As it would stand in a file. Undefined: none, because another setting has it. */
  readonly default: unknown;
  /** Turns the text of an environment variable into what would stand in a file. */
  readonly fromText: (text: string) => unknown;
  /** A wrong value is not shown. */
  readonly isSecret: boolean;
}

export function text(initial: string) {
  return setting(z.string().min(1), 'a text that is not empty', initial);
}

export function texts(initial: readonly string[]) {
  return setting(z.array(z.string().min(1)).min(1), 'a list of texts, not empty', initial, splitList);
}

export function integer(min: number, max: number, initial: number) {
  const fromText = (text: string) => (/^-?\d+$/.test(text) ? Number(text) : text);
  return setting(z.int().min(min).max(max), `a whole number from ${min} to ${max}`, initial, fromText);
}

export function duration(initial: Duration) {
  const expected = 'a duration longer than nothing, such as "500ms", "30s", "5m" or { minutes: 5 }';
  return setting(z.custom<Duration>(isDuration).transform(durationMs), expected, initial, objectOrText);
}

export function size(initial: Size) {
  const schema = z
    .string()
    .regex(/^\d+(\.\d+)?(B|kB|MB|GB)$/)
    .transform((text) => Math.floor(Number.parseFloat(text) * SIZE_UNITS[text.replace(/^[\d.]+/, '')]!));
  return setting(schema, 'a size such as "512kB" or "1MB"', initial);
}

/** The scheme of the example, in its long and short form, is the one that is needed. */
export function url(example: string) {
  const scheme = new URL(example).protocol.slice(0, -1);
  const schemes = [scheme, { postgres: 'postgresql', https: 'http' }[scheme]].map((name) => `${name}:`);
  const schema = z.string().refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol));
  return setting(schema, `a URL such as ${example}`, undefined);
}

export function pluginName() {
  return setting(z.string().refine(isPluginName), 'an alias such as "local", or a classpath', undefined);
}

export function pluginNames(initial: readonly string[]) {
  const schema = z
    .array(z.string().refine(isPluginName))
    .min(1)
    .refine((names) => new Set(names).size === names.length);
  const expected = 'a list of aliases such as "local", or classpaths, not empty, each of them once';
  return setting(schema, expected, initial, splitList);
}

export function plugin(initial?: string) {
  return setting(pluginSchema(), PLUGIN, initial, objectOrText);
}

export function plugins(initial: readonly string[]) {
  const fromText = (text: string) => (text.startsWith('[') ? objectOrText(text) : splitList(text));
  return setting(z.array(pluginSchema()), `a list, each of it ${PLUGIN}`, initial, fromText);
}

export function orNull<S extends z.ZodType>(of: Setting<S>) {
  const fromText = (text: string) => (text === 'null' ? null : of.fromText(text));
  return setting(of.schema.nullable(), `${of.expected}; or null`, null, fromText);
}

export function secret<S extends z.ZodType>(of: Setting<S>): Setting<S> {
  return { ...of, isSecret: true };
}

function setting<S extends z.ZodType>(
  schema: S,
  expected: string,
  initial: unknown,
  fromText: (text: string) => unknown = (text) => text,
): Setting<S> {
  return { schema, expected, default: initial, fromText, isSecret: false };
}

const SIZE_UNITS: Readonly<Record<string, number>> = { B: 1, kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
const PLUGIN = 'an alias, a classpath, or { use: "<alias or classpath>", options: { … } }';

function pluginSchema() {
  const options = z.record(z.string(), z.unknown());
  return z
    .union([
      z.string().refine(isPluginName),
      z.strictObject({ use: z.string().refine(isPluginName), options: options.optional() }),
    ])
    .transform(
      (plugin): Plugin =>
        typeof plugin === 'string' ? { use: plugin, options: {} } : { use: plugin.use, options: plugin.options ?? {} },
    );
}

/** Which aliases there are only the loader knows: providers bring them. */
function isPluginName(name: string): boolean {
  if (/^[a-z][a-z0-9-]*$/i.test(name)) return true;
  try {
    parseClasspath(name);
    return true;
  } catch {
    return false;
  }
}

function isDuration(value: unknown): boolean {
  try {
    return durationMs(value as Duration) > 0;
  } catch {
    return false;
  }
}

function splitList(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

/** What is no JSON after all is left as it is, so that the check shows it. */
function objectOrText(text: string): unknown {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
