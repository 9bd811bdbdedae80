import { type CheckAnswer, CheckScript } from './check-script.ts';
import { jsonOf, type StandInAnswer, type StandInRequest, StandInServer } from './stand-in-server.ts';

export interface HttpJobsOptions {
  /** What one check after the other finds, of a job or of `/ready`. Default: all is done. */
  readonly script?: readonly CheckAnswer[];
  /** When a check came, by this clock. Default: the real one. */
  readonly now?: () => Date;
}

/**
 * Some service with a job API over HTTP:
 *
 * | request | answer |
 * |---|---|
 * | `POST /jobs` | 201 `{ id }`; the same `Idempotency-Key` again is the same job |
 * | `GET /jobs/:id` | by the script: `{ id, status: running, done or failed, error? }` |
 * | `GET /jobs/:id/result` | `{ id, input }`, once it was seen done; 409 before |
 * | `DELETE /jobs/:id` | 204; 409 when it has ended |
 * | `GET /ready` | by the script: 404, 200 `{ ready: true }`, or 200 `{ ready: false, error }` |
 * | `GET /items?page=2` | `{ items, next }`, three pages of two |
 *
 * A failure that passes is by turns a 503, a 429 with `Retry-After`, and a broken connection. More of them, and delays, by
 * `server.fail`.
 */
export interface HttpJobs {
  readonly url: string;
  readonly server: StandInServer;
  /** One entry for each request that was accepted. */
  submitted(): readonly string[];
  cancelled(): readonly string[];
  checks(): readonly Date[];
  /** The `Authorization` of each request; empty where there was none. */
  callers(): readonly string[];
  stop(): Promise<void>;
}

export async function startHttpJobs(options: HttpJobsOptions = {}): Promise<HttpJobs> {
  const script = new CheckScript(options.script ?? ['done'], options.now);
  const jobs = new JobTable(script);
  const server = await StandInServer.start((request) => jobs.answer(request));
  return {
    url: server.url,
    server,
    submitted: () => jobs.submitted,
    cancelled: () => jobs.cancelled,
    checks: () => script.checks,
    callers: () => server.requests.map(({ headers }) => headers.authorization ?? ''),
    stop: () => server.stop(),
  };
}

interface Job {
  readonly id: string;
  readonly input: unknown;
  status: 'running' | 'done' | 'failed';
}

class JobTable {
  readonly submitted: string[] = [];
  readonly cancelled: string[] = [];
  readonly #jobs = new Map<string, Job>();
  readonly #byKey = new Map<string, Job>();
  readonly #script: CheckScript;

  constructor(script: CheckScript) {
    this.#script = script;
  }

  answer(request: StandInRequest): StandInAnswer {
    const { method, path, query } = request;
    const [, collection, id, part] = path.split('/');
    if (collection === 'ready') return this.#ready();
    if (collection === 'items') return page(Number(query.get('page') ?? 1));
    if (collection !== 'jobs') return problem(404, `there is no ${path}`);
    if (id === undefined) return method === 'POST' ? this.#submit(request) : problem(405, 'POST a job');
    const job = this.#jobs.get(id);
    if (!job) return problem(404, `there is no job ${id}`);
    if (part === 'result') return job.status === 'done' ? { body: { id, input: job.input } } : problem(409, 'not done');
    return method === 'DELETE' ? this.#cancel(job) : this.#look(job);
  }

  #submit(request: StandInRequest): StandInAnswer {
    const key = request.headers['idempotency-key'];
    const known = typeof key === 'string' ? this.#byKey.get(key) : undefined;
    if (known) return { status: 201, body: { id: known.id } };
    const job: Job = { id: `job-${this.#jobs.size + 1}`, input: jsonOf(request), status: 'running' };
    this.#jobs.set(job.id, job);
    if (typeof key === 'string') this.#byKey.set(key, job);
    this.submitted.push(job.id);
    return { status: 201, body: { id: job.id } };
  }

  #look(job: Job): StandInAnswer {
    const found = this.#script.next();
    if (found === 'transient') return this.#script.transient(this.#busy());
    job.status = found === 'pending' ? 'running' : found;
    return { body: { id: job.id, status: job.status, ...(found === 'failed' ? { error: 'out of paper' } : {}) } };
  }

  #cancel(job: Job): StandInAnswer {
    if (job.status !== 'running') return problem(409, `job ${job.id} is ${job.status}`);
    this.cancelled.push(job.id);
    return { status: 204 };
  }

  #ready(): StandInAnswer {
    const found = this.#script.next();
    if (found === 'transient') return this.#script.transient(this.#busy());
    if (found === 'pending') return problem(404, 'not yet');
    return { body: found === 'done' ? { ready: true } : { ready: false, error: 'out of paper' } };
  }

  #busy(): StandInAnswer {
    return this.#script.checks.length % 2 === 0
      ? problem(503, 'down for a moment')
      : { ...problem(429, 'too many requests'), headers: { 'retry-after': '2' } };
  }
}

function page(number: number): StandInAnswer {
  const items = [number * 2 - 1, number * 2].map((id) => ({ id }));
  return { body: { items, next: number < 3 ? number + 1 : null } };
}

function problem(status: number, message: string): StandInAnswer {
  return { status, body: { error: message } };
}
