import type { BackendAnswer, JobBackend, VirtualClock } from '@windhover/core/testing';
import type { AwsOptions } from '@windhover/provider-amazon/aws';
import { type AwsJobsServer, startAwsJobs } from '@windhover/testing-services';

/** A scripted AWS for the conformance suites. `handles` are jobs that somebody else has started. */
export function awsBackend(...handles: string[]) {
  return async (script: readonly BackendAnswer[], clock: VirtualClock): Promise<JobBackend> => {
    const server = await startAwsJobs({ script, now: () => clock.now() });
    for (const handle of handles) server.jobs.add(handle);
    return {
      connections: awsConnections(server),
      checks: () => server.jobs.checks,
      submitted: () => server.jobs.submitted,
      cancelled: () => server.jobs.cancelled,
      callers: () => server.requests.map(({ accessKeyId, region }) => `${accessKeyId} in ${region}`),
      close: () => server.stop(),
    };
  };
}

/** There is no `aws_default`, and its region is another: only overrides that reach the trigger lead to an answer. */
export const OVERRIDES: AwsOptions = {
  awsConnId: 'aws_test',
  regionName: 'eu-north-1',
  clientConfig: { maxAttempts: 1 },
};

export function awsConnections({ endpoint }: Pick<AwsJobsServer, 'endpoint'>) {
  return {
    aws_test: {
      connType: 'aws',
      login: 'AKTEST',
      password: 'SKTEST',
      extra: { endpointUrl: endpoint, regionName: 'us-west-2' },
    },
  };
}
