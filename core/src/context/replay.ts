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
  /** Absent for a step without a result. */
  readonly value?: Json;
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
  /** What is stored of this task; steps survive deferral and retry. */
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
  readonly #running = new Set<Promise<unknown>>();

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

  /** Resolves when the steps under way are stored: what was paid for is not left behind by a deferral beside it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    const step = this.#step(name, run);
    this.#running.add(step);
    const done = () => this.#running.delete(step);
    step.then(done, done);
    return step;
  }

  async defer<Event>(
    name: string,
    trigger: BaseTrigger<Event, any>,
    options: { timeout?: Duration } = {},
  ): Promise<Event> {
    const sequence = this.#next++;
    const stored = this.#recorded(sequence, name);
    if (stored) return resultOf<Event>(stored);
    const timeoutMs = options.timeout === undefined ? undefined : durationMs(options.timeout);
    this.#deferral.resolve({ trigger, timeoutMs, point: { sequence, name } });
    // Never settles, so that no catch and no finally of the function runs: it has not ended, it waits.
    return new Promise<never>(() => {});
  }

  async #step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
    const sequence = this.#next++;
    const stored = this.#recorded(sequence, name);
    if (stored) return resultOf<T>(stored);
    const result = await run();
    const place = { hop: this.#options.hop, sequence, name };
    const record = result === undefined ? place : { ...place, value: serialize(result, `step "${name}"`) };
    await this.#options.save(record);
    // Through storage and back, so that the first run sees what a replay will see.
    return resultOf<T>(record);
  }

  #recorded(sequence: number, name: string): StepRecord | undefined {
    const record = this.#records.get(sequence);
    if (record && record.name !== name) {
      throw new StepMismatchError(this.#options.taskId, sequence, record.name, name);
    }
    return record;
  }
}

function resultOf<T>(record: StepRecord): T {
  return record.value === undefined ? (undefined as T) : deserialize<T>(record.value);
}
