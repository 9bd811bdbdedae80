import type { STS } from '@aws-sdk/client-sts';
import { BaseHook, Connection, type ConnectionSource, type ConnectionTestResult } from '@windhover/core';
import { type ClientLease, leaseClient } from './aws-clients.ts';
import type { AwsOptions } from './aws-options.ts';
import type { AwsService } from './aws-service.ts';
import { connectionSettings } from './connection-settings.ts';
import { stsService } from './sts-service.ts';

/**
 * Makes the vendor's client of a service from a connection of type `aws`. Without keys in the connection the vendor's
 * own chain is asked; with a `roleArn` that role is assumed and renewed.
 *
 * ```ts
 * const batch = await new AwsHook(context, { awsConnId: 'aws_default' }, batchService).client();
 * const { jobs } = await batch.describeJobs({ jobs: ['…'] });
 * ```
 */
export class AwsHook<Client = STS> extends BaseHook<Client> {
  static readonly connType = 'aws';
  readonly options: AwsOptions;
  readonly service: AwsService<Client>;
  #lease: Promise<ClientLease<Client>> | undefined;

  /** `options` may be the id of a connection. `service` is STS unless said otherwise. */
  constructor(
    source: ConnectionSource,
    options: AwsOptions | string = {},
    service: AwsService<Client> = stsService as unknown as AwsService<Client>,
  ) {
    const own = typeof options === 'string' ? { awsConnId: options } : options;
    super(source, own.awsConnId ?? DEFAULT_CONN_ID);
    this.options = own;
    this.service = service;
  }

  override async connection(): Promise<Connection> {
    return this.options.awsConnId === null ? new Connection('machine', { connType: 'aws' }) : super.connection();
  }

  /** The client. After an expired token the connection is read anew, so that a replaced one is noticed in mid-wait. */
  override async client(): Promise<Client> {
    const known = await this.#lease;
    if (known && !known.isStale) return known.client;
    const lease = this.connection().then((connection) => this.lease(connection));
    this.#lease = lease;
    lease.catch(() => {
      this.#lease = undefined;
    });
    return (await lease).client;
  }

  protected override async createClient(connection: Connection): Promise<Client> {
    return (await this.lease(connection)).client;
  }

  /** Asks AWS who we are; a server that only speaks S3 is asked for its buckets instead. */
  override async testConnection(): Promise<ConnectionTestResult> {
    try {
      const connection = await this.connection();
      const { endpointUrl } = connectionSettings(connection);
      const source = { connection: async () => connection };
      try {
        const sts = await new AwsHook(source, this.options).client();
        const { Arn } = await sts.getCallerIdentity({});
        return { isSuccess: true, message: `Signed in as ${Arn}.` };
      } catch (error) {
        if (endpointUrl === undefined) throw error;
        const { s3Service } = await import('../s3/s3-service.ts');
        const s3 = await new AwsHook(source, this.options, s3Service).client();
        const { Buckets = [] } = await s3.listBuckets({});
        return { isSuccess: true, message: `${endpointUrl} answers, with ${Buckets.length} buckets.` };
      }
    } catch (error) {
      return { isSuccess: false, message: error instanceof Error ? error.message : String(error) };
    }
  }

  private lease(connection: Connection): Promise<ClientLease<Client>> {
    const { awsConnId, ...options } = this.options;
    const connId = awsConnId === null ? null : this.connId;
    return leaseClient(this.service, connectionSettings(connection), { ...options, connId });
  }
}

const DEFAULT_CONN_ID = 'aws_default';
