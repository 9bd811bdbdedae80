import type { SerializedError } from '@windhover/core';
import { z } from 'zod';

/** What the OpenAPI document says of schemas beside their shape. Not zod's own registry: that one is everybody's. */
export const components = z.registry<{ readonly id?: string; readonly description?: string }>();

/** A schema that has a name in the document. Only answers have one. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  components.add(schema, { id });
  return schema;
}

/** ISO 8601 outside, a Date inside. */
export const instant = z.codec(z.iso.datetime({ offset: true }), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

export const id = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,250}$/, 'is no id: use 1 to 250 letters, digits, "_", "-" and "."');

/** Any JSON; what it means is not this API's business. */
export const json = z.unknown();
export const jsonObject = z.record(z.string(), json);

/** In a query: `true` or `false`. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
export const wholeNumber = z.coerce.number().int();

/** A body that may be left out; fastify says null for none. */
export function optionalBody<Body extends z.ZodObject>(body: Body) {
  return z.preprocess((value) => value ?? {}, body);
}

export const deleted = z.undefined().register(components, { description: 'It is gone.' });

/** As it is stored. */
export const storedError = named(
  'Error',
  z.object({
    name: z.string(),
    message: z.string(),
    code: z.string().optional(),
    stack: z.string().optional(),
    isRetryable: z.boolean().optional(),
    cause: json.optional(),
  } satisfies Partial<Record<keyof SerializedError, z.ZodType>>),
);

export const problemSchema = named(
  'Problem',
  z
    .looseObject({
      type: z.string(),
      title: z.string(),
      status: z.int(),
      detail: z.string(),
      code: z.string(),
      errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    })
    .register(components, { description: 'RFC 9457, with the facts of the error beside these fields.' }),
);
