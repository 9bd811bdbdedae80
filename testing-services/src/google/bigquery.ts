import type { CheckScript } from '../check-script.ts';
import { quote, type SqlEngine, type SqlResult } from '../sql-engine.ts';
import { jsonOf, type StandInAnswer, type StandInRequest } from '../stand-in-server.ts';
import { type LoadConfiguration, loadTable } from './bigquery-load.ts';
import { bigQueryRows } from './bigquery-rows.ts';
import type { GcsStandIn } from './gcs.ts';
import { BUSY, googleError } from './google-error.ts';

interface JobReference {
  readonly projectId: string;
  readonly jobId: string;
  readonly location: string;
}

interface JobConfiguration {
  readonly query?: { readonly query: string; readonly defaultDataset?: { readonly datasetId: string } };
  readonly load?: LoadConfiguration;
  readonly labels?: Readonly<Record<string, string>>;
  readonly dryRun?: boolean;
}

interface Job {
  readonly reference: JobReference;
  readonly configuration: JobConfiguration;
  /** Settles when the SQL has run. */
  readonly work: Promise<void>;
  state: 'RUNNING' | 'DONE';
  result?: SqlResult;
  error?: { readonly reason: string; readonly message: string; readonly location?: string };
}

export interface BigQueryOptions {
  readonly engine: SqlEngine;
  readonly gcs: GcsStandIn;
  readonly pageSize: number;
  readonly checks: CheckScript | undefined;
}

/** BigQuery's API v2, with and without its `/bigquery/v2`. Queries run on the SQL engine as sent. */
export class BigQueryStandIn {
  /** The ids of all jobs it accepted, and of those it was asked to cancel. */
  readonly submitted: string[] = [];
  readonly cancelled: string[] = [];
  /** `dataset.table` of tables that still hold streamed rows. */
  readonly streamingBuffers = new Set<string>();
  /** `dataset.table` → the date column its daily partitions are made by. */
  readonly partitionColumns = new Map<string, string>();
  readonly #jobs = new Map<string, Job>();
  readonly #options: BigQueryOptions;

  constructor(options: BigQueryOptions) {
    this.#options = options;
  }

  /** Runs SQL beside all protocol, to prepare or to look. */
  async sql(projectId: string, sql: string): Promise<SqlResult> {
    return this.#options.engine.run(sql, { catalog: projectId });
  }

  handle(request: StandInRequest): StandInAnswer | Promise<StandInAnswer> {
    const path = request.path.replace(/^\/bigquery\/v2/, '');
    const [, projectId = '', rest = ''] = /^\/projects\/([^/]+)(\/.*)$/.exec(path) ?? [];
    const parts = rest.split('/').slice(1);
    if (parts[0] === 'jobs') return this.#handleJobs(request, projectId, parts.slice(1));
    if (parts[0] === 'queries' && request.method === 'GET') return this.#queryResults(request, projectId, parts[1]!);
    if (parts[0] === 'datasets' && parts[2] === 'tables') return this.#handleTable(request, projectId, parts);
    if (parts[0] === 'datasets' && parts.length === 1) return { body: { kind: 'bigquery#datasetList', datasets: [] } };
    return googleError(404, 'notFound', `The stand-in has no ${request.method} ${request.path}.`);
  }

  #handleJobs(request: StandInRequest, projectId: string, [jobId, verb]: string[]) {
    if (jobId === undefined) return this.#insert(projectId, jsonOf(request));
    const job = this.#jobs.get(`${projectId}:${jobId}`);
    const location = request.query.get('location') ?? 'US';
    if (!job || job.reference.location !== location)
      return googleError(404, 'notFound', `Not found: Job ${projectId}:${location}.${jobId}`);
    return verb === 'cancel' ? this.#cancel(job) : this.#look(job);
  }

  #insert(projectId: string, body: { configuration: JobConfiguration; jobReference: JobReference }): StandInAnswer {
    const { configuration, jobReference } = body;
    const reference = { projectId, jobId: jobReference.jobId, location: jobReference.location ?? 'US' };
    const key = `${projectId}:${reference.jobId}`;
    if (configuration.dryRun) return { body: resource({ reference, configuration, state: 'DONE' }) };
    if (this.#jobs.has(key))
      return googleError(409, 'duplicate', `Already Exists: Job ${projectId}:${reference.location}.${reference.jobId}`);
    const job: Job = { reference, configuration, state: 'RUNNING', work: this.#run(() => job) };
    this.#jobs.set(key, job);
    this.submitted.push(reference.jobId);
    return { body: resource(job) };
  }

  async #run(made: () => Job): Promise<void> {
    await null;
    const job = made();
    const { query, load } = job.configuration;
    const { engine, gcs } = this.#options;
    try {
      const dataset = query?.defaultDataset?.datasetId;
      const place = { catalog: job.reference.projectId, ...(dataset === undefined ? {} : { schema: dataset }) };
      if (query) job.result = (await engine.runScript(query.query, place)).at(-1)!;
      if (load) job.result = await loadTable(engine, gcs, load);
    } catch (error) {
      const reason = load ? 'invalid' : 'invalidQuery';
      job.error ??= { reason, message: (error as Error).message, location: load ? 'load' : 'query' };
    }
    if (!this.#options.checks) job.state = 'DONE';
  }

  async #look(job: Job): Promise<StandInAnswer> {
    const { checks } = this.#options;
    const answer = job.state === 'RUNNING' ? checks?.next() : undefined;
    if (answer === 'transient') return checks!.transient(BUSY);
    if (answer === 'failed') {
      job.error = { reason: 'backendError', message: 'The stand-in failed this job.' };
      job.state = 'DONE';
    }
    if (answer === 'done') {
      await job.work;
      job.state = 'DONE';
    }
    return { body: resource(job) };
  }

  #cancel(job: Job): StandInAnswer {
    this.cancelled.push(job.reference.jobId);
    if (job.state === 'RUNNING') {
      job.error = { reason: 'stopped', message: 'Job execution was cancelled: User requested cancellation' };
      job.state = 'DONE';
    }
    return { body: { kind: 'bigquery#jobCancelResponse', job: resource(job) } };
  }

  #queryResults(request: StandInRequest, projectId: string, jobId: string): StandInAnswer {
    const job = this.#jobs.get(`${projectId}:${jobId}`);
    if (!job) return googleError(404, 'notFound', `Not found: Job ${projectId}:${jobId}`);
    const head = { kind: 'bigquery#getQueryResultsResponse', jobReference: job.reference };
    if (job.state !== 'DONE') return { body: { ...head, jobComplete: false } };
    if (job.error) return googleError(400, job.error.reason, job.error.message);
    return { body: { ...head, jobComplete: true, ...this.#page(request, job.result!) } };
  }

  async #handleTable(request: StandInRequest, projectId: string, parts: string[]): Promise<StandInAnswer> {
    const [, datasetId = '', , decorated = '', verb] = parts;
    const [tableId = '', partition] = decorated.split('$');
    const { checks, engine } = this.#options;
    const notFound = googleError(404, 'notFound', `Not found: Table ${projectId}:${datasetId}.${tableId}`);
    const answer = request.query.has('pageToken') ? undefined : checks?.next();
    if (answer === 'transient') return checks!.transient(BUSY);
    if (answer === 'failed') return googleError(403, 'accessDenied', `Access Denied: Table ${datasetId}.${tableId}`);
    const name = `${datasetId}.${tableId}`;
    if (answer === 'pending' && !this.streamingBuffers.has(name)) return notFound;
    if (!(await engine.hasTable(projectId, datasetId, tableId))) return notFound;
    if (verb === 'data') return this.#tableData(request, projectId, name, partition);
    const isStreaming = this.streamingBuffers.has(name) && answer !== 'done';
    const buffer = isStreaming ? { streamingBuffer: { estimatedRows: '1', oldestEntryTime: '0' } } : {};
    const table = `${quote(datasetId)}.${quote(tableId)}`;
    const { schema } = bigQueryRows(await this.sql(projectId, `select * from ${table} limit 0`));
    return { body: { kind: 'bigquery#table', tableReference: { projectId, datasetId, tableId }, schema, ...buffer } };
  }

  async #tableData(request: StandInRequest, projectId: string, name: string, partition: string | undefined) {
    const column = this.partitionColumns.get(name);
    const where =
      partition === undefined || !column ? '' : ` where strftime(${quote(column)}, '%Y%m%d') = '${partition}'`;
    const fields = request.query.get('selectedFields') ?? '*';
    const table = name.split('.').map(quote).join('.');
    const result = await this.sql(projectId, `select ${fields} from ${table}${where}`);
    const { totalRows, rows, pageToken } = this.#page(request, result);
    return { body: { kind: 'bigquery#tableDataList', totalRows, rows, ...(pageToken ? { pageToken } : {}) } };
  }

  #page(request: StandInRequest, result: SqlResult) {
    const { schema, rows } = bigQueryRows(result);
    const start = Number(request.query.get('pageToken') ?? 0);
    const size = Math.min(Number(request.query.get('maxResults') ?? this.#options.pageSize), this.#options.pageSize);
    const end = start + size;
    const pageToken = end < rows.length ? String(end) : undefined;
    return { schema, totalRows: String(rows.length), rows: rows.slice(start, end), pageToken };
  }
}

function resource({ reference, configuration, state, error }: Omit<Job, 'work'>) {
  const { projectId, location, jobId } = reference;
  return {
    kind: 'bigquery#job',
    id: `${projectId}:${location}.${jobId}`,
    jobReference: reference,
    configuration,
    status: { state, ...(state === 'DONE' && error ? { errorResult: error, errors: [error] } : {}) },
    statistics: { query: { totalBytesProcessed: '0' } },
  };
}
