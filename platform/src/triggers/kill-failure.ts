import type { LogChunk, SerializedError } from '@windhover/core';
import type { HeldTrigger } from '../store/triggers.ts';
import { leaseName } from './ended-leases.ts';
import { streamOf } from './trigger-stream.ts';

/** Says in the task's log that outside work may go on although the task is gone. */
export function killFailure(trigger: HeldTrigger, error: SerializedError): LogChunk {
  const message = `The task was killed, but onKill of ${trigger.classpath} failed for good: ${error.message} What it waited for may still run; cancel it by hand.`;
  return {
    stream: streamOf(trigger),
    writer: `kill:${leaseName(trigger)}`,
    sequence: 0,
    records: [{ at: new Date().toISOString(), level: 'error', message }],
  };
}
