import {
  type CallbackWorkload,
  StaleEpochError,
  serializeError,
  type TaskApi,
  type XComBackend,
  type XComReader,
} from '@windhover/core';
import { Masker } from '../task/masker.ts';
import { platformClock } from '../task/platform-clock.ts';
import { pullXCom } from '../task/pull-xcom.ts';
import { runLimited } from '../task/run-limited.ts';
import { TaskLog } from '../task/task-log.ts';
import { tell } from '../task/tell.ts';
import { CallbackTimeoutError } from './callback-timeout-error.ts';
import { describeCallback } from './describe-callback.ts';
import { enterCallback } from './enter-callback.ts';

export interface RunCallbackOptions {
  readonly taskApi: TaskApi;
  /** Where the DAG's file is looked for. */
  readonly projectRoot: string;
  /** How long a callback may take. Default: 60,000. */
  readonly callbackTimeoutMs?: number | undefined;
  /** Gives XComs that are kept outside the database. Default: none, and such XComs cannot be pulled. */
  readonly xcomBackend?: XComBackend | undefined;
  /** Aborts when the worker is to end: the callback is aborted and nothing is reported. Default: never. */
  readonly signal?: AbortSignal;
  /**
   * Nothing else runs in this process meanwhile: what it prints goes to the callback's log, and errors that nobody
   * caught fail the callback. Default: false.
   */
  readonly ownsProcess?: boolean;
  /** The callback's code has ended and only its report is under way: the process is free for other code. */
  onCodeOver?(): void;
}

export interface CallbackEnd {
  /** What was reported; `abandoned`: nothing, because it was run already or the worker is to end. */
  readonly type: 'success' | 'failed' | 'abandoned';
  /** Code of the callback may still be running, or an error passed by it: this process is no place for other code. */
  readonly isProcessSpoilt: boolean;
}

export const DEFAULT_CALLBACK_TIMEOUT_MS = 60_000;

/**
 * Calls the function of a DAG file that a transition asked for. A callback that fails is reported with its error and is
 * over: nothing is called because of it. Rejects only if the platform could not be reached or did not take the report.
 */
export async function runCallback(workload: CallbackWorkload, options: RunCallbackOptions): Promise<CallbackEnd> {
  const { taskApi } = options;
  const handOff = { callbackId: workload.callbackId };
  const started = await taskApi.startCallback(handOff.callbackId);
  if (!started) return { type: 'abandoned', isProcessSpoilt: false };
  const masker = new Masker();
  masker.add(started.facts.secretsToMask);
  // By the workload: a callback whose worker died may be handed out again, and must not overwrite what it logged then.
  const log = new TaskLog({ writer: workload.id, masker, send: (chunks) => taskApi.log(handOff, chunks) });
  const limitMs = options.callbackTimeoutMs ?? DEFAULT_CALLBACK_TIMEOUT_MS;
  const now = platformClock(started.facts.now ?? new Date().toISOString());
  const xcom: XComReader = {
    pull: (taskId, pulled) => pullXCom(taskApi, handOff, options.xcomBackend, taskId, pulled),
  };
  const parts = { taskApi, handOff, facts: started.facts, xcom, log: log.logger, masker, now };
  const { outcome, isProcessSpoilt } = await runLimited(
    (signal) => enterCallback(options.projectRoot, started, { ...parts, signal }),
    {
      ...options,
      limitMs,
      limitError: () => new CallbackTimeoutError(describeCallback(started.callback), limitMs),
      onOutput: (level, line) => log.write(level, line),
    },
  );
  if (!isProcessSpoilt) options.onCodeOver?.();
  if (outcome.type === 'abandoned') return { type: 'abandoned', isProcessSpoilt };
  const error = outcome.type === 'failed' ? masker.maskError(serializeError(outcome.error)) : null;
  if (error) log.write('error', error.stack ?? `${error.name}: ${error.message}`);
  try {
    await tell(workload.id, log, () => taskApi.finishCallback(handOff.callbackId, error));
  } catch (refusal) {
    if (!StaleEpochError.isInstance(refusal)) throw refusal;
    return { type: 'abandoned', isProcessSpoilt };
  }
  return { type: error ? 'failed' : 'success', isProcessSpoilt };
}
