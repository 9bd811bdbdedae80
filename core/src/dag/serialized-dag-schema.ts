import { TRIGGER_RULES } from '../task-instance/trigger-rule.ts';
import type { JsonSchema } from './serialized-dag.ts';

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const MS = { type: 'number', minimum: 0 } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const INSTANT = { type: 'string', format: 'date-time' } as const;
const ANY_OBJECT = { type: 'object' } as const;

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function oneOf(values: readonly string[]): JsonSchema {
  return { enum: values };
}

/** All properties are required: a serialized DAG has no defaults left. Others pass, for the DAGs of a newer core. */
function object(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

const SIGNAL_RULE = object({
  type: oneOf(['sufficient', 'necessary']),
  life: oneOf(['once', 'repeated']),
  action: oneOf(['START', 'RESTART', 'STOP']),
  onBusy: oneOf(['ignore', 'queue', 'coalesce']),
  conditions: list(
    object({ key: TEXT, namespace: TEXT, predicate: { type: 'object', properties: { op: TEXT }, required: ['op'] } }, [
      'predicate',
    ]),
  ),
});

const SCHEDULE: JsonSchema = {
  oneOf: [
    object({ type: oneOf(['none', 'once', 'continuous']) }),
    object({ type: { const: 'cron' }, expression: TEXT, timezone: TEXT }),
    object({ type: { const: 'interval' }, everyMs: { type: 'number', exclusiveMinimum: 0 } }),
    object({ type: { const: 'dates' }, dates: list(INSTANT) }),
  ],
};

const TRIGGER = object(
  { classpath: TEXT, kwargs: {}, isShareable: FLAG, notBefore: { anyOf: [INSTANT, object({ afterMs: MS })] } },
  ['notBefore'],
);

const TASK = object({
  taskId: TEXT,
  operatorName: TEXT,
  taskGroupId: orNull(TEXT),
  upstreamTaskIds: list(TEXT),
  retries: COUNT,
  retryDelayMs: MS,
  retryExponentialBackoff: FLAG,
  maxRetryDelayMs: MS,
  executionTimeoutMs: orNull(MS),
  triggerRule: oneOf(TRIGGER_RULES),
  pool: TEXT,
  poolSlots: { type: 'integer', minimum: 1 },
  priorityWeight: { type: 'number' },
  weightRule: oneOf(['absolute', 'downstream', 'upstream']),
  queue: TEXT,
  executor: orNull(TEXT),
  executorConfig: ANY_OBJECT,
  dependsOnPast: FLAG,
  waitForDownstream: FLAG,
  maxActivePerDag: orNull({ type: 'integer', minimum: 1 }),
  startFromTrigger: FLAG,
  streaming: FLAG,
  every: orNull({ anyOf: [object({ cron: TEXT, timezone: TEXT }), object({ intervalMs: MS })] }),
  doc: orNull(TEXT),
  callbacks: list(oneOf(['onFailure', 'onSuccess', 'onRetry'])),
  signals: list(object({ key: TEXT, namespace: TEXT })),
  signalRules: list(SIGNAL_RULE),
  hasSignalCode: FLAG,
  sensor: orNull(object({ timeoutMs: MS, softFail: FLAG, mode: oneOf(['defer', 'poke', 'reschedule']) })),
});

/** The JSON Schema of `SerializedDag`. */
export const serializedDagSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Windhover serialized DAG',
  ...object({
    formatVersion: { const: 1 },
    dagId: TEXT,
    schedule: SCHEDULE,
    startDate: orNull(INSTANT),
    endDate: orNull(INSTANT),
    catchup: FLAG,
    maxActiveRuns: { type: 'integer', minimum: 1 },
    maxActiveTasks: { type: 'integer', minimum: 1 },
    dagRunTimeoutMs: orNull(MS),
    maxConsecutiveFailedRuns: COUNT,
    failFast: FLAG,
    isPausedUponCreation: FLAG,
    params: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { type: TEXT, default: {} }, required: ['type', 'default'] },
    },
    startOn: list(SIGNAL_RULE),
    deadlines: list(
      object({
        reference: { anyOf: [oneOf(['logicalDate', 'queuedAt', 'startedAt']), object({ at: INSTANT })] },
        intervalMs: MS,
      }),
    ),
    callbacks: list(oneOf(['onFailure', 'onSuccess'])),
    tags: list(TEXT),
    description: orNull(TEXT),
    doc: orNull(TEXT),
    owner: orNull(TEXT),
    tasks: list(TASK),
    taskGroups: list(object({ groupId: TEXT, parentGroupId: orNull(TEXT) })),
    watchers: list(object({ signal: TEXT, namespace: TEXT, queue: TEXT, trigger: TRIGGER })),
  }),
};
