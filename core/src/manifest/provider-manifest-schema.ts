import type { JsonSchema } from '../dag/serialized-dag.ts';

const CLASSPATH = { type: 'string', pattern: '^[^#]+#[^#]+$' } as const;

function list(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: 'array', items: object(properties, required) };
}

function object(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

const CLASS = { classpath: CLASSPATH, doc: { type: 'string' } } as const;
const ALIASED = list({ ...CLASS, alias: { type: 'string' } }, ['classpath', 'alias']);

/** The JSON Schema of `ProviderManifest`. */
export const providerManifestSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Windhover provider manifest',
  ...object(
    {
      $schema: { type: 'string' },
      formatVersion: { const: 1 },
      name: { type: 'string', minLength: 1 },
      description: { type: 'string' },
      coreRange: { type: 'string', minLength: 1 },
      connectionTypes: list(
        {
          connType: { type: 'string', minLength: 1 },
          label: { type: 'string' },
          hook: CLASSPATH,
          standardFields: {
            type: 'object',
            propertyNames: { enum: ['host', 'port', 'login', 'password', 'schema'] },
            additionalProperties: { type: 'string' },
          },
          extra: { type: 'object' },
        },
        ['connType', 'label', 'hook'],
      ),
      hooks: list({ ...CLASS, connType: { type: 'string' } }, ['classpath', 'connType']),
      operators: list(CLASS, ['classpath']),
      sensors: list(CLASS, ['classpath']),
      triggers: list({ ...CLASS, kwargs: { type: 'object' }, isShareable: { type: 'boolean' } }, ['classpath']),
      executors: ALIASED,
      signalServices: ALIASED,
      secretsBackends: ALIASED,
      xcomBackends: ALIASED,
      logStores: ALIASED,
      functions: list(CLASS, ['classpath']),
      aliases: { type: 'object', propertyNames: CLASSPATH, additionalProperties: CLASSPATH },
    },
    ['formatVersion', 'name', 'description', 'coreRange'],
  ),
};
