import { AwsFault } from './aws-fault.ts';
import { awsJobHandlers } from './aws-job-handlers.ts';
import { type AwsHandler, type AwsServer, type AwsServerOptions, startAwsServer } from './aws-server.ts';
import { JobBook, type JobBookOptions } from './job-book.ts';

export interface AwsJobsOptions extends JobBookOptions, Pick<AwsServerOptions, 'latencyMs' | 'intercept'> {
  /** Operations to answer otherwise, by the vendor's name. Default: none. */
  readonly handlers?: Readonly<Record<string, AwsHandler>>;
}

export interface AwsJobsServer extends AwsServer {
  readonly jobs: JobBook;
}

/**
 * Stands in for Batch, EMR, EMR Serverless, Redshift Data, Athena, Glue, Step Functions, SageMaker, ECS, Lambda and STS.
 * Point the `endpointUrl` of an AWS connection at it. The access key `WRONG` is refused, `EXPIRED` has expired.
 */
export async function startAwsJobs(options: AwsJobsOptions = {}): Promise<AwsJobsServer> {
  const jobs = new JobBook(options);
  const { latencyMs, intercept } = options;
  const server = await startAwsServer({
    handlers: { ...awsJobHandlers(jobs), ...STS, ...options.handlers },
    ...(latencyMs === undefined ? {} : { latencyMs }),
    intercept: (request) => REFUSED[request.accessKeyId]?.() ?? intercept?.(request),
  });
  return { ...server, jobs };
}

const STS: Readonly<Record<string, AwsHandler>> = {
  GetCallerIdentity: (_input, { accessKeyId }) => ({
    Arn: `arn:aws:iam::123456789012:user/${accessKeyId}`,
    UserId: accessKeyId,
    Account: '123456789012',
  }),
  AssumeRole: ({ RoleArn, RoleSessionName }) => ({
    Credentials: {
      // The role's name is the key, so that a test sees as whom a request came.
      AccessKeyId: `ASIA${String(RoleArn).replace(/.*\//, '').toUpperCase()}`,
      SecretAccessKey: 'secret',
      SessionToken: 'token',
      Expiration: new Date(Date.now() + 3_600_000).toISOString(),
    },
    AssumedRoleUser: { Arn: `${RoleArn}/${RoleSessionName}`, AssumedRoleId: 'role' },
  }),
};

const REFUSED: Readonly<Record<string, () => AwsFault>> = {
  WRONG: () => new AwsFault('UnrecognizedClientException', 'The security token included in the request is invalid.'),
  EXPIRED: () => new AwsFault('ExpiredTokenException', 'The security token included in the request is expired'),
};
