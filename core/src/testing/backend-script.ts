import type { ConnectionFields } from '../connection/connection.ts';
import type { TestHostOptions } from './test-host.ts';
import type { VirtualClock } from './virtual-clock.ts';

/**
 * What an outside system answers to one check after the other; it stays with the last answer.
 * `transient`: fails in a way that passes (503, connection reset). `failed`: says that what is waited for has failed.
 */
export type BackendAnswer = 'pending' | 'transient' | 'done' | 'failed';

/** A scripted outside system: an HTTP server, a fake client, whatever the code under test talks to. */
export interface ScriptedBackend {
  readonly connections?: Readonly<Record<string, ConnectionFields | string>>;
  readonly variables?: Readonly<Record<string, string>>;
  /** Answers `context.runStates`, for code that looks at other runs. Default: no runs. */
  readonly runStates?: TestHostOptions['runStates'];
  /** When each check came, by the clock that was given. */
  checks(): readonly Date[];
  /** As whom each request came (login, role, token), to see that overrides of the connection reach the trigger. Default: not asked. */
  callers?(): readonly string[];
  close?(): void | Promise<void>;
}

/** Makes a backend for one test. It notes the time of each check by `clock.now()`. */
export type BackendSetup<Backend extends ScriptedBackend> = (
  script: readonly BackendAnswer[],
  clock: VirtualClock,
) => Backend | Promise<Backend>;

/** Runs a test against a fresh backend and closes it. */
export async function withBackend<Backend extends ScriptedBackend>(
  setup: BackendSetup<Backend>,
  script: readonly BackendAnswer[],
  clock: VirtualClock,
  test: (backend: Backend, host: TestHostOptions) => Promise<void>,
): Promise<void> {
  const backend = await setup(script, clock);
  const { connections = {}, variables = {}, runStates } = backend;
  try {
    await test(backend, { clock, connections, variables, ...(runStates ? { runStates } : {}) });
  } finally {
    await backend.close?.();
  }
}

/** The shortest time between two checks. */
export function shortestGapMs(checks: readonly Date[]): number {
  return Math.min(...checks.slice(1).map((at, index) => at.getTime() - checks[index]!.getTime()));
}
