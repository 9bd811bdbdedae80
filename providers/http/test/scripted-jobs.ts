import type { BackendAnswer, VirtualClock } from '@windhover/core/testing';
import { startHttpJobs } from '@windhover/testing-services';

/** The job server as a scripted backend of the conformance suites. It knows its caller by a token. */
export async function scriptedJobs(script: readonly BackendAnswer[], clock: VirtualClock) {
  const jobs = await startHttpJobs({ script, now: () => clock.now() });
  return {
    ...jobs,
    connections: { jobs: `${jobs.url}?token=worker-token` },
    close: () => jobs.stop(),
  };
}
