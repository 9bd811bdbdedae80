import type { BigQuery, BigQueryOptions } from '@google-cloud/bigquery';
import { BaseHook, type Connection, type ConnectionSource, type ConnectionTestResult } from '@windhover/core';
import { GoogleApiError } from '../google-api-error.ts';
import type { GoogleOverrides } from '../google-auth.ts';
import { callGoogle, GoogleHook } from '../google-hook.ts';
import {
  type BigQueryJob,
  type BigQueryJobConfiguration,
  type BigQueryJobError,
  type BigQueryJobReference,
  formatJob,
} from './job.ts';
import { type BigQueryField, type BigQueryRow, decodeRow, type RawRow } from './rows.ts';

export interface BigQueryTableReference {
  /** Default: the hook's project. */
  readonly projectId?: string | undefined;
  readonly datasetId: string;
  /** With a partition decorator, `table$20260101`, it is that partition. */
  readonly tableId: string;
}

export interface BigQueryTable {
  readonly hasStreamingBuffer: boolean;
}

/**
 * Jobs, tables and rows of BigQuery through Google's own client. Its requests are made with `client.request`, because
 * its job objects reject for a job that ended with an error, and answer no rows for one that has not ended.
 */
export class BigQueryHook extends BaseHook<BigQuery> {
  static readonly connType = GoogleHook.connType;
  readonly #google: GoogleHook;

  constructor(source: ConnectionSource, connId = 'google_cloud_default', overrides: GoogleOverrides = {}) {
    super(source, connId);
    this.#google = new GoogleHook(source, connId, overrides);
  }

  protected async createClient(_connection: Connection): Promise<BigQuery> {
    const { projectId, apiEndpoint, authClient } = await this.#google.client();
    const { BigQuery } = await import('@google-cloud/bigquery');
    const options: BigQueryOptions & { timeout: number } = {
      // The version of google-auth-library that the client brings may be another one than ours.
      authClient: authClient as never,
      // Tries again are made by whoever polls: there they have a budget, and are seen.
      autoRetry: false,
      timeout: REQUEST_TIMEOUT_MS,
      ...(projectId === undefined ? {} : { projectId }),
      ...(apiEndpoint === undefined ? {} : { apiEndpoint }),
    };
    return new BigQuery(options);
  }

  override testConnection(): Promise<ConnectionTestResult> {
    return this.#google.testConnection();
  }

  /** The project jobs run in. */
  async projectId(): Promise<string> {
    const { projectId } = await this.#google.client();
    if (projectId !== undefined) return projectId;
    const reason = new Error('neither the task nor the connection names a project');
    throw new GoogleApiError('run a job', this.connId, Object.assign(reason, { status: 400 }));
  }

  /** Rejects with status 409 if there is a job of this name. */
  async insertJob(reference: BigQueryJobReference, configuration: BigQueryJobConfiguration): Promise<BigQueryJob> {
    const { projectId } = reference;
    const body = { jobReference: reference, configuration };
    const name = formatJob(reference);
    return readJob(await this.#call(`submit job ${name}`, { method: 'POST', projectId, uri: '/jobs', json: body }));
  }

  async getJob(reference: BigQueryJobReference): Promise<BigQueryJob> {
    const { projectId, jobId, location } = reference;
    const uri = `/jobs/${jobId}`;
    return readJob(await this.#call(`look up job ${formatJob(reference)}`, { projectId, uri, qs: { location } }));
  }

  /** The job once it has ended, well or not; undefined before. */
  async finishedJob(reference: BigQueryJobReference): Promise<BigQueryJob | undefined> {
    const job = await this.getJob(reference);
    return job.state === 'DONE' ? job : undefined;
  }

  /** A job that has ended, or is unknown, is no error. */
  async cancelJob(reference: BigQueryJobReference): Promise<void> {
    const { projectId, jobId, location } = reference;
    const request = { method: 'POST', projectId, uri: `/jobs/${jobId}/cancel`, qs: { location } } as const;
    await unlessNotFound(this.#call(`cancel job ${formatJob(reference)}`, request));
  }

  /** The rows a finished query answered, over all pages. */
  async readRows(reference: BigQueryJobReference, maxResults?: number): Promise<BigQueryRow[]> {
    const { projectId, jobId, location } = reference;
    const doing = `read the rows of job ${formatJob(reference)}`;
    return this.#pages(doing, { projectId, uri: `/queries/${jobId}`, qs: { location, ...TIMESTAMPS } }, maxResults);
  }

  /** Rows of a table, without a query and so without a charge. */
  async listRows(
    table: BigQueryTableReference,
    options: { maxResults?: number; selectedFields?: readonly string[] } = {},
  ): Promise<BigQueryRow[]> {
    const { maxResults, selectedFields } = options;
    const { fields } = await this.#table(table);
    const shown = selectedFields ? fields.filter(({ name }) => selectedFields.includes(name)) : fields;
    const qs = { ...TIMESTAMPS, ...(selectedFields ? { selectedFields: selectedFields.join(',') } : {}) };
    const request = { ...this.#tableRequest(table, '/data'), qs };
    return this.#pages(`read table ${formatTable(table)}`, request, maxResults, shown);
  }

  /** Undefined if there is none. */
  async getTable(table: BigQueryTableReference): Promise<BigQueryTable | undefined> {
    return unlessNotFound(this.#table(table));
  }

  /** Whether the table, or its partition, holds any row; false if there is none of the name. Free of charge. */
  async hasRows(table: BigQueryTableReference): Promise<boolean> {
    const request = { ...this.#tableRequest(table, '/data'), qs: { maxResults: 1 } };
    const page = await unlessNotFound(this.#call<Page>(`look into table ${formatTable(table)}`, request));
    return (page?.rows?.length ?? 0) > 0;
  }

  async #table(table: BigQueryTableReference): Promise<BigQueryTable & { fields: readonly BigQueryField[] }> {
    const answer = await this.#call<{ streamingBuffer?: object; schema?: Page['schema'] }>(
      `look up table ${formatTable(table)}`,
      this.#tableRequest(table, ''),
    );
    return { hasStreamingBuffer: answer.streamingBuffer !== undefined, fields: answer.schema?.fields ?? [] };
  }

  #tableRequest({ projectId, datasetId, tableId }: BigQueryTableReference, verb: string) {
    const uri = `/datasets/${datasetId}/tables/${tableId}${verb}`;
    return projectId === undefined ? { uri } : { uri, projectId };
  }

  async #pages(
    doing: string,
    request: ApiRequest,
    maxResults = Number.POSITIVE_INFINITY,
    fields?: readonly BigQueryField[],
  ): Promise<BigQueryRow[]> {
    const rows: BigQueryRow[] = [];
    for (let pageToken: string | undefined; ; ) {
      const limit = Number.isFinite(maxResults) ? { maxResults: maxResults - rows.length } : {};
      const page = await this.#call<Page>(doing, { ...request, qs: { ...request.qs, ...limit, pageToken } });
      if (page.jobComplete === false) throw new GoogleApiError(doing, this.connId, new Error('The job has not ended.'));
      rows.push(...(page.rows ?? []).map((row) => decodeRow(fields ?? page.schema?.fields ?? [], row)));
      pageToken = page.pageToken;
      if (!pageToken || rows.length >= maxResults) return rows.slice(0, maxResults);
    }
  }

  async #call<T>(doing: string, request: ApiRequest): Promise<T> {
    const [client, credentials] = [await this.client(), await this.#google.client()];
    const qs = Object.fromEntries(Object.entries(request.qs ?? {}).filter(([, value]) => value !== undefined));
    return callGoogle(this.connId, credentials, doing, () => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      client.request({ ...request, qs } as never, (error, body) => (error ? reject(error) : resolve(body as T)));
      return promise;
    });
  }
}

const REQUEST_TIMEOUT_MS = 60_000;
/** Otherwise BigQuery sends TIMESTAMP as a float, which loses microseconds. */
const TIMESTAMPS = { 'formatOptions.useInt64Timestamp': true } as const;

interface ApiRequest {
  readonly uri: string;
  readonly method?: 'GET' | 'POST';
  readonly projectId?: string;
  readonly qs?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
}

interface Page {
  readonly jobComplete?: boolean;
  readonly schema?: { readonly fields: readonly BigQueryField[] };
  readonly rows?: readonly RawRow[];
  readonly pageToken?: string;
}

interface JobResource {
  readonly jobReference: BigQueryJobReference;
  readonly configuration?: { readonly labels?: Readonly<Record<string, string>> };
  readonly status: { readonly state: BigQueryJob['state']; readonly errorResult?: BigQueryJobError };
}

function readJob({ jobReference, configuration, status }: JobResource): BigQueryJob {
  const { projectId, jobId, location } = jobReference;
  const { errorResult: error } = status;
  return {
    reference: { projectId, jobId, ...(location === undefined ? {} : { location }) },
    state: status.state,
    labels: configuration?.labels ?? {},
    ...(error === undefined
      ? {}
      : {
          error: {
            reason: error.reason,
            message: error.message,
            ...(error.location ? { location: error.location } : {}),
          },
        }),
  };
}

async function unlessNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GoogleApiError && error.status === 404) return undefined;
    throw error;
  }
}

export function formatTable({ projectId, datasetId, tableId }: BigQueryTableReference): string {
  return `${projectId === undefined ? '' : `${projectId}.`}${datasetId}.${tableId}`;
}
