import { hostname } from 'node:os';
import type { Database } from '../store/database.ts';
import { deadJobs, endJob, insertJob, livingJobsOn, renewJob, shortenLeases, WORKERS_END_MS } from '../store/jobs.ts';
import { hostId, isProcessAlive } from './host-id.ts';

/** A job's row among the others: how they see that it lives, and how it sees which of them do not. */
export class JobLease {
  readonly leaseMs: number;
  readonly #database: Database;
  readonly #hostId = hostId();
  #jobId = 0;
  #clockOffsetMs = 0;

  constructor(database: Database, leaseMs: number) {
    this.#database = database;
    this.leaseMs = leaseMs;
  }

  /** 0 before it has begun. */
  get jobId(): number {
    return this.#jobId;
  }

  /** How far the database's clock is ahead of this process's. */
  get clockOffsetMs(): number {
    return this.#clockOffsetMs;
  }

  async begin(type: string): Promise<void> {
    const identity = { hostname: hostname(), pid: process.pid, hostId: this.#hostId };
    this.#jobId = await insertJob(this.#database, { type, leaseMs: this.leaseMs, ...identity });
  }

  /** Answers the runs whose locks it still holds. */
  async renew(): Promise<ReadonlySet<number>> {
    const { now, runIds } = await renewJob(this.#database, this.#jobId, this.leaseMs);
    this.#clockOffsetMs = now.getTime() - Date.now();
    await this.#noticeDeadProcesses();
    return new Set(runIds);
  }

  /** Which of these jobs are over. */
  deadAmong(jobIds: readonly number[]): Promise<ReadonlySet<number>> {
    return deadJobs(this.#database, jobIds);
  }

  end(): Promise<void> {
    return endJob(this.#database, this.#jobId);
  }

  /** Jobs of this machine whose process is gone need not be waited for in full. */
  async #noticeDeadProcesses(): Promise<void> {
    if (this.#hostId === null) return;
    const jobs = await livingJobsOn(this.#database, this.#hostId);
    const dead = jobs.filter(({ pid }) => !isProcessAlive(pid)).map(({ id }) => id);
    if (dead.length > 0) await shortenLeases(this.#database, dead, WORKERS_END_MS);
  }
}
