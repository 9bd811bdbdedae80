import { type ClaimedTrigger, resolveParams, type TriggerOwner } from '@windhover/core';
import type { DagVersions } from '../dags/dag-versions.ts';
import type { ClaimedRow } from '../store/triggerers.ts';
import type { Cipher } from '../task-instances/change-writer.ts';

export const KWARGS_PURPOSE = 'trigger.kwargs';
export const CHECKPOINT_PURPOSE = 'trigger.checkpoint';

/** A claimed row as its triggerer gets it. Throws where it cannot be decrypted, or its run's conf does not fit. */
export function openClaimedTrigger(row: ClaimedRow, cipher: Cipher, versions: DagVersions): ClaimedTrigger {
  return {
    triggerId: row.triggerId,
    leaseEpoch: row.leaseEpoch,
    classpath: row.classpath,
    kwargs: cipher.decrypt(row.kwargs, KWARGS_PURPOSE),
    createdAt: row.createdAt.toISOString(),
    checkpoint: row.checkpoint && cipher.decrypt(row.checkpoint, CHECKPOINT_PURPOSE),
    state: row.state === 'waiting' ? { type: 'waiting' } : { type: 'cancelling', reason: row.killReason },
    owner: ownerOf(row, versions),
    deadlineAt: row.deadlineAt?.toISOString() ?? null,
  };
}

function ownerOf(row: ClaimedRow, versions: DagVersions): TriggerOwner {
  if (row.dagId === null) return { type: 'shared' };
  const { dagId, runId, taskId, mapIndex, dagFile, tryNumber, attempt, runType, conf } = row;
  const { hash, dag } = versions.get(row.versionId)!;
  return {
    type: 'task',
    task: {
      key: { dagId, runId, taskId, mapIndex },
      dagFile,
      versionHash: hash,
      tryNumber,
      attempt,
      logicalDate: row.logicalDate.toISOString(),
      dataInterval: { start: row.intervalStart.toISOString(), end: row.intervalEnd.toISOString() },
      runType,
      params: resolveParams(dagId, dag.params, conf),
      conf,
      sensorStartedAt: row.sensorStartedAt.toISOString(),
      signals: {},
      secretsToMask: [],
    },
  };
}
