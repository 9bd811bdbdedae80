import { InvalidOptionError } from '../operator/invalid-option-error.ts';
import type { AdoptableWorkload, Executor, ExecutorEvent, ExecutorHost } from './executor.ts';
import { ExecutorStoppedError } from './executor-stopped-error.ts';
import { PriorityQueue } from './priority-queue.ts';
import type { Workload } from './workload.ts';

/**
 * Keeps what is queued, what is running and what has happened. A subclass starts workloads: one by one in
 * `executeAsync`, or many at a time in `processTasks`; and reports their end with `report`.
 *
 * Slots are refilled the moment a workload ends, not on a timer: a refill by timer caps the rate at slots per tick.
 */
export abstract class BaseExecutor implements Executor {
  /** Zero means no limit. */
  readonly parallelism: number;
  protected readonly running = new Map<string, Workload>();
  private startedHost: ExecutorHost | undefined;
  private readonly queued = new Map<string, Workload>();
  private readonly order = new PriorityQueue<Workload>();
  /** Starts under way, by workload: what the engine does not have yet cannot be killed there. */
  private readonly starting = new Map<string, Promise<void>>();
  private events: ExecutorEvent[] = [];
  private isStopped = false;
  private isBeatDue = false;
  private idle = Promise.withResolvers<void>();

  constructor(options: { readonly parallelism: number }) {
    const { parallelism } = options;
    if (!Number.isInteger(parallelism) || parallelism < 0) {
      throw new InvalidOptionError(
        new.target.name,
        'parallelism',
        `${parallelism} is not a whole number of at least 0`,
      );
    }
    this.parallelism = parallelism;
  }

  /** Starts one workload and returns without waiting for its end. A rejection means that it never began. */
  protected abstract executeAsync(workload: Workload): Promise<void>;

  /** Kills running workloads; each is then reported as lost or ended like any other. */
  protected abstract kill(workloadIds: readonly string[]): Promise<void>;

  /** Only after `start`, which is when workloads begin. */
  protected get host(): ExecutorHost {
    return this.startedHost!;
  }

  get openSlots(): number {
    return Math.max(0, this.freeSlots - this.queued.size);
  }

  /** Work that was queued before begins now, so a subclass calls this last. */
  async start(host: ExecutorHost): Promise<void> {
    this.startedHost = host;
    this.beatSoon();
  }

  queueWorkload(workload: Workload): void {
    if (this.isStopped) throw new ExecutorStoppedError(this.constructor.name, workload.id);
    if (this.queued.has(workload.id) || this.running.has(workload.id)) return;
    this.queued.set(workload.id, workload);
    this.order.push(workload, workload.priority);
    this.beatSoon();
  }

  async heartbeat(): Promise<void> {
    await this.triggerTasks(this.freeSlots);
    await this.sync();
  }

  /** Default: nothing, for engines that tell by themselves. */
  async sync(): Promise<void> {}

  async revoke(workloadIds: readonly string[]): Promise<void> {
    for (const id of workloadIds) this.queued.delete(id);
    await this.killRunning(workloadIds);
  }

  /** Default: finds none, for engines whose workloads die with their scheduler. */
  async adopt(_workloads: readonly AdoptableWorkload[]): Promise<readonly string[]> {
    return [];
  }

  async end(): Promise<void> {
    this.isStopped = true;
    this.queued.clear();
    await this.untilIdle();
  }

  async terminate(): Promise<void> {
    this.isStopped = true;
    this.queued.clear();
    await this.killRunning([...this.running.keys()]);
    await this.untilIdle();
  }

  drainEvents(): readonly ExecutorEvent[] {
    const events = this.events;
    this.events = [];
    return events;
  }

  /** Takes as many of the most urgent workloads as there are slots. */
  protected async triggerTasks(openSlots: number): Promise<void> {
    const batch: Workload[] = [];
    while (batch.length < openSlots) {
      const workload = this.order.pop();
      if (!workload) break;
      // Revoked ones stay in the heap until they come up here; one of them may have been queued again since.
      if (this.queued.get(workload.id) !== workload) continue;
      this.queued.delete(workload.id);
      batch.push(workload);
    }
    if (batch.length === 0) return;
    for (const workload of batch) this.running.set(workload.id, workload);
    const start = this.startBatch(batch);
    for (const workload of batch) this.starting.set(workload.id, start);
    await start;
    for (const workload of batch) this.starting.delete(workload.id);
  }

  /**
   * Default: starts them one by one, side by side. Engines that take many in one message override it; a rejection means
   * that none of them began.
   */
  protected async processTasks(batch: readonly Workload[]): Promise<void> {
    await Promise.all(batch.map((workload) => this.startOne(workload)));
  }

  /** Holds a slot for a workload that runs already, after `adopt`. */
  protected hold(workload: Workload): void {
    this.running.set(workload.id, workload);
  }

  /** News of a workload. The end of one that is not running any more, or never was, is dropped: its slot is free. */
  protected report(event: ExecutorEvent): void {
    if (event.type !== 'accepted' && !this.running.delete(event.workloadId)) return;
    this.events.push(event);
    this.startedHost?.wake();
    if (this.running.size === 0) {
      this.idle.resolve();
      this.idle = Promise.withResolvers<void>();
    }
    if (this.queued.size > 0) this.beatSoon();
  }

  private async startBatch(batch: readonly Workload[]): Promise<void> {
    try {
      await this.processTasks(batch);
    } catch (error) {
      for (const workload of batch) this.refuse(workload, error);
    }
  }

  private async startOne(workload: Workload): Promise<void> {
    try {
      await this.executeAsync(workload);
    } catch (error) {
      this.refuse(workload, error);
    }
  }

  private refuse(workload: Workload, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const isRetryable = (error as { isRetryable?: boolean } | null)?.isRetryable ?? true;
    this.report({ type: 'refused', workloadId: workload.id, reason, isRetryable });
  }

  private async killRunning(workloadIds: readonly string[]): Promise<void> {
    await Promise.all(workloadIds.map((id) => this.starting.get(id)));
    const running = workloadIds.filter((id) => this.running.has(id));
    if (running.length > 0) await this.kill(running);
  }

  private get freeSlots(): number {
    return this.parallelism === 0 ? Number.POSITIVE_INFINITY : Math.max(0, this.parallelism - this.running.size);
  }

  /** Engines that do not tell by themselves are asked each second. */
  private async untilIdle(): Promise<void> {
    await Promise.all(this.starting.values());
    while (this.running.size > 0) {
      const pause = Promise.withResolvers<void>();
      const timer = setTimeout(pause.resolve, 1000);
      await Promise.race([this.idle.promise, pause.promise]);
      clearTimeout(timer);
      // An engine that cannot be asked now is asked again; the workloads still run.
      await this.sync().catch((error: unknown) => this.host.log.warning(`Waiting for workloads: ${error}`));
    }
  }

  /** A turn later, so that workloads queued together go together. A slow start holds back none of the following. */
  private beatSoon(): void {
    if (this.isBeatDue || !this.startedHost) return;
    this.isBeatDue = true;
    queueMicrotask(() => {
      this.isBeatDue = false;
      void this.triggerTasks(this.freeSlots);
    });
  }
}
