import {
  type HeartbeatAnswer,
  StaleEpochError,
  type StartedCallback,
  type StartedTask,
  type TaskApi,
  type TaskHandOff,
  type WorkerIdentity,
  type Workload,
} from '@windhover/core';
import type { ExecutionApiClient } from './execution-api-client.ts';
import { ONCE, REPEATABLE, type RemoteMethods, remoteApi } from './remote-api.ts';
import { type Speaker, type WorkloadToken, WorkloadTokens } from './workload-tokens.ts';

/** `TaskApi` for the workloads that a process was given. */
export interface HttpTaskApi extends TaskApi {
  /** Before the workload runs: its start token speaks for it, until `start` answers another. */
  admit(workload: Workload): void;
  /** It will not be spoken for any more. What has ended, or was overtaken, is forgotten without this. */
  release(workload: Workload): void;
}

export function connectTaskApi(client: ExecutionApiClient): HttpTaskApi {
  const tokens = new WorkloadTokens();
  const call = (method: keyof TaskApi, args: readonly unknown[], token: string | undefined, options = AT_ONCE) =>
    client.call(`task/${method}`, args, { ...options, token });

  /** An execution token that ran out, as under code that blocked all heartbeats: the start token gets another. */
  const renew = async (handOff: TaskHandOff, known: WorkloadToken, worker: WorkerIdentity) => {
    const { token } = (await call('start', [handOff, worker], known.start)) as StartedTask;
    known.current = token;
  };

  const api = remoteApi<TaskApi>(METHODS, async (name, args, options) => {
    const method = name as keyof TaskApi;
    const speaker = speakerOf(method, args[0]);
    const known = tokens.of(speaker);
    const send = () => call(method, args, STARTS.has(method) ? known?.start : known?.current, options);
    try {
      const answer = await send().catch(async (error: unknown) => {
        if (!hasExpired(error) || !known?.worker || !('taskInstanceId' in speaker)) throw error;
        await renew(speaker, known, known.worker);
        return send();
      });
      if (known) learn(known, method, args, answer);
      // A callback that was run already is answered null.
      if (ENDS.has(method) || (method === 'startCallback' && answer === null)) tokens.remove(speaker);
      return answer;
    } catch (error) {
      if (StaleEpochError.isInstance(error)) tokens.remove(speaker);
      throw error;
    }
  });
  return Object.assign(api, {
    admit: (workload: Workload) => tokens.add(workload),
    release: (workload: Workload) => tokens.remove(workload),
  });
}

const METHODS: RemoteMethods<TaskApi> = {
  start: REPEATABLE,
  heartbeat: { ...REPEATABLE, waitMs: (_handOff, waitMs) => waitMs ?? 0 },
  // A report that arrives twice is answered as if somebody else had come first; whoever reports decides what then.
  defer: ONCE,
  reschedule: ONCE,
  finish: ONCE,
  skipDownstream: REPEATABLE,
  getSteps: REPEATABLE,
  putStep: REPEATABLE,
  getXCom: REPEATABLE,
  putXCom: REPEATABLE,
  connection: REPEATABLE,
  variable: REPEATABLE,
  log: REPEATABLE,
  sendSignal: ONCE,
  triggerDagRun: REPEATABLE,
  runStates: REPEATABLE,
  // The second is answered null, and the callback would never run.
  startCallback: ONCE,
  finishCallback: REPEATABLE,
  startConnectionTest: REPEATABLE,
  finishConnectionTest: REPEATABLE,
};

const AT_ONCE = { isRepeatable: true, waitMs: 0 };
const STARTS = new Set<keyof TaskApi>(['start', 'startCallback', 'startConnectionTest']);
const ENDS = new Set<keyof TaskApi>(['defer', 'reschedule', 'finish', 'finishCallback', 'finishConnectionTest']);

function speakerOf(method: keyof TaskApi, first: unknown): Speaker {
  switch (method) {
    case 'startCallback':
    case 'finishCallback':
      return { callbackId: first as string };
    case 'startConnectionTest':
    case 'finishConnectionTest':
      return { testId: first as string };
    default:
      return first as Speaker;
  }
}

/** Tokens that answers bring. */
function learn(known: WorkloadToken, method: keyof TaskApi, args: readonly unknown[], answer: unknown): void {
  const { token } = (answer ?? {}) as Partial<StartedTask | StartedCallback | HeartbeatAnswer> & { token?: string };
  if (method === 'start') known.worker = args[1] as WorkerIdentity;
  if ((method === 'start' || method === 'startCallback' || method === 'heartbeat') && token) known.current = token;
}

function hasExpired(error: unknown): boolean {
  const { code, reason } = error as { code?: unknown; reason?: unknown };
  return code === 'E_TOKEN' && reason === 'expired';
}
