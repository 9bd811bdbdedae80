import type { Queryable } from './database.ts';

export interface JobRow {
  readonly id: number;
  readonly type: string;
  readonly hostname: string;
  readonly pid: number;
  readonly state: string;
  readonly isAlive: boolean;
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
  readonly endedAt: Date | null;
}

export interface JobFilter {
  /** `scheduler` finds a `SchedulerJob`, too. */
  readonly type?: string | undefined;
  readonly isAlive?: boolean | undefined;
}

/** Newest first. */
export async function listJobs(
  client: Queryable,
  filter: JobFilter,
  beforeId: number | null,
  limit: number,
): Promise<JobRow[]> {
  const { rows } = await client.query<JobRow>(
    `${SELECT} where ($1::bigint is null or id < $1) and ($2::text is null or lower(type) in (lower($2), lower($2) || 'job'))
        and ($3::boolean is null or ${IS_ALIVE} = $3) order by id desc limit $4`,
    [beforeId, filter.type ?? null, filter.isAlive ?? null, limit],
  );
  return rows;
}

export async function getJob(client: Queryable, id: number): Promise<JobRow | null> {
  const { rows } = await client.query<JobRow>(`${SELECT} where id = $1`, [id]);
  return rows[0] ?? null;
}

/** How the jobs of one type are. */
export interface JobHealth {
  readonly type: string;
  readonly alive: number;
  /** Whether the last one has ended in order; otherwise it is alive, or has gone silent. */
  readonly hasEnded: boolean;
  readonly latestHeartbeat: Date;
  readonly heartbeatAgeMs: number;
}

export async function getJobHealth(client: Queryable): Promise<JobHealth[]> {
  const { rows } = await client.query<JobHealth>(
    `select type, (count(*) filter (where ${IS_ALIVE}))::int as alive,
            (array_agg(state order by id desc))[1] = 'ended' as "hasEnded", max(heartbeat_at) as "latestHeartbeat",
            (extract(epoch from now() - max(heartbeat_at)) * 1000)::float8 as "heartbeatAgeMs"
       from job group by type order by type`,
  );
  return rows;
}

const IS_ALIVE = "(state = 'running' and expires_at > now())";

const SELECT = `select id, type, hostname, pid, state, ${IS_ALIVE} as "isAlive", started_at as "startedAt",
       heartbeat_at as "heartbeatAt", ended_at as "endedAt" from job`;
