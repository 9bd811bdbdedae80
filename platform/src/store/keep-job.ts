import { hostname } from 'node:os';
import { hostId } from '../scheduler/host-id.ts';
import type { Database } from './database.ts';
import { endJob, insertJob, renewJob } from './jobs.ts';

/** Has a process that runs no DAGs appear among the jobs, so that others see whether it lives. */
export async function keepJob(
  database: Database,
  type: string,
  leaseMs = 30_000,
): Promise<{ readonly jobId: number; stop(): Promise<void> }> {
  const identity = { hostname: hostname(), pid: process.pid, hostId: hostId() };
  const jobId = await insertJob(database, { type, leaseMs, ...identity });
  const timer = setInterval(() => {
    // One that fails is made up for by the next.
    renewJob(database, jobId, leaseMs).catch(() => {});
  }, leaseMs / 3);
  return {
    jobId,
    async stop() {
      clearInterval(timer);
      await endJob(database, jobId);
    },
  };
}
