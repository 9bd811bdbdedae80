import { type Duration, durationMs } from '../duration.ts';
import type { Json } from '../json.ts';
import { deserialize } from '../serde/deserialize.ts';
import { serialize } from '../serde/serialize.ts';
import type { BaseTrigger } from '../trigger/base-trigger.ts';
import { StepMismatchError } from './step-mismatch-error.ts';

/**
 * The result of `context.step` or `context.defer`, as stored. A step is known by its place: how often the task had been
 * resumed in a method (`hop`), and how many steps came before it there (`sequence`).
 */
export interface StepRecord {
  readonly hop: number;
  readonly sequence: number;
  readonly name: string;
  readonly value: Json;
}

/** Which step of a method a deferral belongs to; the method runs again and finds the event there. */
export interface ReplayPoint {
  readonly sequence: number;
  readonly name: string;
}

/** A deferral asked for by `context.defer`. */
export interface ReplayDeferral {
  readonly trigger: BaseTrigger<unknown, any>;
  readonly timeoutMs: number | undefined;
  readonly point: ReplayPoint;
}

export interface ReplayOptions {
  readonly taskId: string;
  readonly hop: number;
  /** What is stored of this attempt. */
  readonly records: readonly StepRecord[];
  /** Resolves when the record is stored. */
  save(record: StepRecord): Promise<void>;
}

/** Steps of one entry into a method. Serves `Context.step` and `Context.defer` wherever a task runs. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #records: Map<number, StepRecord>;
  #next = 0;
  readonly #deferral = Promise.withResolvers<ReplayDeferral>();

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#records = new Map(
      options.records.filter(({ hop }) => hop === options.hop).map((each) => [each.sequence, each]),
    );
  }

  /** Resolves when the function asks for a deferral; never, if it does not. */
  get deferral(): Promise<ReplayDeferral> {
    return this.#deferral.promise;
  }

  async step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    const sequence = this.#next++;
    const stored = this.#recorded(sequence, name);
    if (stored) return deserialize<T>(stored.value);
    const result = await run();
    // What a step returns is what a replay will see: a result of undefined is stored as null and stays undefined.
    const value = result === undefined ? null : serialize(result, `step "${name}"`);
    await this.#options.save({ hop: this.#options.hop, sequence, name, value });
    return result === undefined ? result : deserialize<T>(value);
  }

  async defer<Event>(
    name: string,
    trigger: BaseTrigger<Event, any>,
    options: { timeout?: Duration } = {},
  ): Promise<Event> {
    const sequence = this.#next++;
    const stored = this.#recorded(sequence, name);
    if (stored) return deserialize<Event>(stored.value);
    const timeoutMs = options.timeout === undefined ? undefined : durationMs(options.timeout);
    this.#deferral.resolve({ trigger, timeoutMs, point: { sequence, name } });
    // Never settles, so that no catch and no finally of the function runs: it has not ended, it waits.
    return new Promise<never>(() => {});
  }

  #recorded(sequence: number, name: string): StepRecord | undefined {
    const record = this.#records.get(sequence);
    if (record && record.name !== name) {
      throw new StepMismatchError(this.#options.taskId, sequence, record.name, name);
    }
    return record;
  }
}
