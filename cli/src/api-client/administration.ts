import type { Json } from '@windhover/core';

// The answers of the REST API about what a deployment keeps beside its DAGs, as its contract has them.

export interface Pool {
  readonly name: string;
  /** −1: no limit. */
  readonly slots: number;
  readonly includeDeferred: boolean;
  readonly description: string;
  readonly occupiedSlots: number;
  readonly deferredTasks: number;
}

/** Secrets in `extra` are masked; the password is not told at all. */
export interface Connection {
  readonly connId: string;
  readonly connType: string;
  readonly description: string;
  readonly host: string | null;
  readonly port: number | null;
  readonly login: string | null;
  readonly schema: string | null;
  readonly extra: Readonly<Record<string, Json>> | null;
  readonly hasPassword: boolean;
  readonly updatedAt: string;
}

export interface ConnectionTest {
  readonly ok: boolean;
  readonly message: string;
}

export interface Variable {
  readonly key: string;
  /** Masked where the key is that of a secret. */
  readonly value: string;
  readonly updatedAt: string;
}

export interface Job {
  readonly id: number;
  readonly type: string;
  readonly hostname: string;
  readonly pid: number;
  readonly state: string;
  readonly isAlive: boolean;
  readonly startedAt: string;
  readonly heartbeatAt: string;
  readonly endedAt: string | null;
}

export type HealthStatus = 'healthy' | 'unhealthy' | 'none';

export interface Health {
  readonly status: HealthStatus;
  readonly database: { readonly status: HealthStatus };
  readonly scheduler: ComponentHealth;
  readonly triggerer: ComponentHealth;
  readonly dagProcessor: ComponentHealth;
}

export interface ComponentHealth {
  readonly status: HealthStatus;
  readonly latestHeartbeat: string | null;
  /** How many are alive. */
  readonly alive: number;
}
