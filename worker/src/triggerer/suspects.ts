import type { TriggerLease } from '@windhover/core';
import { PROVEN_MS } from './runner-starts.ts';

/**
 * Finds the trigger that kills its process, among thousands that were in it. After a second death they run in two halves,
 * and again the half that dies, until the guilty one dies alone. The others go on meanwhile.
 */
export class Suspects {
  readonly #suspects = new Map<string, { readonly deaths: number; readonly groupSize: number }>();

  /** A process died with these in it. Answers how often the only one has seen that, if it must be to blame; else null. */
  onDeath(triggers: readonly TriggerLease[], livedForMs: number): number | null {
    let deaths = 0;
    for (const { triggerId } of triggers) {
      const before = livedForMs < PROVEN_MS ? (this.#suspects.get(triggerId)?.deaths ?? 0) : 0;
      deaths = before + 1;
      // Once is no pattern: somebody killed the process, or the machine had no memory left.
      const groupSize = deaths === 1 ? Number.POSITIVE_INFINITY : Math.ceil(triggers.length / 2);
      this.#suspects.set(triggerId, { deaths, groupSize });
    }
    return triggers.length === 1 && deaths >= CONVICTING_DEATHS ? deaths : null;
  }

  /** With how many others it may be in a process, itself included. */
  groupSizeOf(triggerId: string): number {
    return this.#suspects.get(triggerId)?.groupSize ?? Number.POSITIVE_INFINITY;
  }

  /** It has ended here, otherwise than with its process. */
  clear(triggerId: string): void {
    this.#suspects.delete(triggerId);
  }

  clearAll(): void {
    this.#suspects.clear();
  }
}

const CONVICTING_DEATHS = 3;
