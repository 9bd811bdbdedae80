import { DAG_RUN_STATES, DAG_RUN_TYPES } from '@windhover/core';
import { z } from 'zod';
import { components, id, instant, jsonObject, named } from './schemas.ts';

export const runState = z.enum(DAG_RUN_STATES);
export const runType = z.enum(DAG_RUN_TYPES);

export const dagRunSchema = named(
  'DagRun',
  z.object({
    dagId: id,
    runId: z.string(),
    runType,
    state: runState,
    logicalDate: instant,
    intervalStart: instant,
    intervalEnd: instant,
    conf: jsonObject,
    reason: z.string().nullable().register(components, { description: 'Why it ended as it did.' }),
    versionHash: z.string(),
    backfillId: z.int().nullable(),
    queuedAt: instant,
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
  }),
);

export const runParams = z.object({ dagId: z.string(), runId: z.string() });

/** The answer of every action on tasks. */
export const changedTasks = named('ChangedTasks', z.object({ taskIds: z.array(z.string()) }));
