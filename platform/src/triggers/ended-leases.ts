import type { LogStream, TriggerLease } from '@windhover/core';

/**
 * The latest leases that ended by their holder's word. Their rows are gone, but the holder may say it again because
 * the answer got lost, and its last log lines may come after it.
 */
export class EndedLeases {
  readonly #streams = new Map<string, LogStream>();

  add(lease: TriggerLease, stream: LogStream): void {
    this.#streams.set(leaseName(lease), stream);
    if (this.#streams.size > MOST_REMEMBERED) this.#streams.delete(this.#streams.keys().next().value!);
  }

  has(lease: TriggerLease): boolean {
    return this.#streams.has(leaseName(lease));
  }

  streamOf(lease: TriggerLease): LogStream | undefined {
    return this.#streams.get(leaseName(lease));
  }
}

const MOST_REMEMBERED = 10_000;

export function leaseName({ triggerId, leaseEpoch }: TriggerLease): string {
  return `${triggerId}:${leaseEpoch}`;
}
