import {
  BaseHook,
  Connection,
  ConnectionNotFoundError,
  type ConnectionSource,
  type ConnectionTestResult,
  type StartedConnectionTest,
  serializeError,
  type TaskApi,
  type TestConnectionWorkload,
} from '@windhover/core';
import type { ClassLoader } from '../loader/class-loader.ts';
import { ClasspathKindError } from '../loader/classpath-kind-error.ts';
import { connectionSecrets, Masker } from '../task/masker.ts';
import { runLimited } from '../task/run-limited.ts';
import { persist } from '../task/tell.ts';

export interface RunConnectionTestOptions {
  readonly taskApi: TaskApi;
  /** Turns the name of the hook into its class. */
  readonly loader: ClassLoader;
  /** How long a test may take. Default: 20,000. */
  readonly connectionTestTimeoutMs?: number | undefined;
  /** Aborts when the worker is to end: nothing is reported. Default: never. */
  readonly signal?: AbortSignal;
  /** Nothing else runs in this process meanwhile: errors that nobody caught fail the test. Default: false. */
  readonly ownsProcess?: boolean;
  /** The hook's code has ended and only the result is under way: the process is free for other code. */
  onCodeOver?(): void;
}

export interface ConnectionTestEnd {
  /** `abandoned`: nothing was reported, because the worker is to end. */
  readonly type: 'reported' | 'abandoned';
  /** Code of the hook may still be running, or an error passed by it: this process is no place for other code. */
  readonly isProcessSpoilt: boolean;
}

export const DEFAULT_CONNECTION_TEST_TIMEOUT_MS = 20_000;

/**
 * Asks the hook of a connection whether it works, and reports the answer; whatever goes wrong is an answer too. Rejects
 * only if the platform could not be reached or did not take the answer.
 */
export async function runConnectionTest(
  { testId }: TestConnectionWorkload,
  options: RunConnectionTestOptions,
): Promise<ConnectionTestEnd> {
  const { taskApi, loader } = options;
  const started = await taskApi.startConnectionTest(testId);
  const masker = new Masker();
  masker.add(connectionSecrets(started.fields));
  const limitMs = options.connectionTestTimeoutMs ?? DEFAULT_CONNECTION_TEST_TIMEOUT_MS;
  const { outcome, isProcessSpoilt } = await runLimited(
    async () => (await makeHook(loader, started)).testConnection(),
    {
      ...options,
      limitMs,
      limitError: () => new Error(connectionTestTimeout(started.connId, limitMs).message),
    },
  );
  if (!isProcessSpoilt) options.onCodeOver?.();
  if (outcome.type === 'abandoned') return { type: 'abandoned', isProcessSpoilt };
  const { isSuccess, message }: ConnectionTestResult =
    outcome.type === 'done' ? outcome.value : { isSuccess: false, message: serializeError(outcome.error).message };
  await persist(() => taskApi.finishConnectionTest(testId, { isSuccess, message: masker.mask(message) }));
  return { type: 'reported', isProcessSpoilt };
}

/** The answer for a test that took too long. */
export function connectionTestTimeout(connId: string, limitMs: number): ConnectionTestResult {
  const message =
    `The test of connection "${connId}" did not end within ${limitMs} ms. Does the worker reach its host, through ` +
    'firewalls and proxies?';
  return { isSuccess: false, message };
}

async function makeHook(loader: ClassLoader, started: StartedConnectionTest): Promise<BaseHook<unknown>> {
  const { connId, fields, hook: classpath } = started;
  const found = await loader.load(classpath);
  if (typeof found !== 'function' || !BaseHook.isInstance(found.prototype))
    throw new ClasspathKindError(classpath, 'a class that extends BaseHook');
  const source: ConnectionSource = {
    async connection(wanted) {
      if (wanted === connId) return new Connection(connId, fields);
      throw new ConnectionNotFoundError(wanted);
    },
  };
  const Hook = found as new (source: ConnectionSource, connId: string) => BaseHook<unknown>;
  return new Hook(source, connId);
}
