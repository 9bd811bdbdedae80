import type { TaskApi } from '../execution-api/task-api.ts';
import type { Executor, ExecutorEvent, ExecutorHost } from '../executor/executor.ts';
import type { Workload } from '../executor/workload.ts';
import { check, checkEqual } from './conformance-test.ts';
import { until } from './until.ts';

/**
 * What a workload does when it runs: its code succeeds, fails or, in a task, defers (three ways to end in order); it
 * hangs until it is released or killed; or the process around it dies.
 */
export type WorkloadBehaviour = 'succeed' | 'fail' | 'defer' | 'hang' | 'die';

export interface WorkloadOptions {
  /** Default: 0. */
  readonly priority?: number;
  /** Default: `default`. */
  readonly queue?: string;
  /** Those that are no tasks are asked only to succeed, to fail and to die. Default: `task`. */
  readonly type?: Workload['type'];
  /** The next hand-off of this one's task instance: its epoch is one higher. Default: another task instance. */
  readonly after?: Workload;
}

export interface ExecutorSetup {
  /** Not started yet: the suite starts it. */
  readonly executor: Executor;
  /** What it needs of its host. Default: a host whose execution API answers nothing. */
  readonly host?: Partial<Omit<ExecutorHost, 'wake'>>;
  /** A workload with an id of its own that behaves like this when it runs. */
  workload(behaviour: WorkloadBehaviour, options?: WorkloadOptions): Workload;
  /** Ids that have begun, in order, one entry for each start. */
  started(): readonly string[];
  /** Ids that run now. It may leave out one that just begins, but never holds one that is over. */
  running(): readonly string[];
  /** Lets a hanging workload end normally. */
  release(workloadId: string): void | Promise<void>;
  /**
   * A second executor, not started, on the same engine, after the first one's scheduler died without warning: kill it
   * as hard as the engine allows. Default: workloads die with their scheduler, and the questions on adoption are left out.
   */
  successor?(): Promise<Executor>;
  /** Ends whatever still runs. */
  close(): Promise<void>;
}

/** What the questions of `testExecutor` share: an executor with its host, what was reported, and waiting. */
export class ExecutorScene {
  readonly events: ExecutorEvent[] = [];
  readonly executor: Executor;
  readonly setup: ExecutorSetup;
  readonly #parallelism: number;
  readonly #timeoutMs: number | undefined;
  #isAwake = false;

  private constructor(executor: Executor, setup: ExecutorSetup, parallelism: number, timeoutMs: number | undefined) {
    this.executor = executor;
    this.setup = setup;
    this.#parallelism = parallelism;
    this.#timeoutMs = timeoutMs;
  }

  static async start(
    executor: Executor,
    setup: ExecutorSetup,
    parallelism: number,
    timeoutMs: number | undefined,
  ): Promise<ExecutorScene> {
    const scene = new ExecutorScene(executor, setup, parallelism, timeoutMs);
    const ignore = () => {};
    const wake: ExecutorHost['wake'] = () => {
      scene.#isAwake = true;
    };
    const log = { debug: ignore, info: ignore, warning: ignore, error: ignore };
    await executor.start({
      log,
      jobId: 'suite',
      projectRoot: '.',
      apiUrl: null,
      taskApi: NO_TASK_API,
      ...setup.host,
      wake,
    });
    return scene;
  }

  /** The scheduler's successor with its own host, or null where there is none. */
  async succeed(): Promise<ExecutorScene | null> {
    const executor = await this.setup.successor?.();
    return executor ? ExecutorScene.start(executor, this.setup, this.#parallelism, this.#timeoutMs) : null;
  }

  /** Makes a workload and queues it. */
  queue(behaviour: WorkloadBehaviour, options?: WorkloadOptions): Workload {
    const workload = this.setup.workload(behaviour, options);
    this.executor.queueWorkload(workload);
    return workload;
  }

  /**
   * Waits like a scheduler: it drains only after a wake-up, and calls `sync`, which some engines need to hear of
   * anything. It never calls `heartbeat`, because slots are to be refilled without it.
   */
  until(condition: () => boolean, what: string): Promise<void> {
    const look = async () => {
      await this.executor.sync();
      this.drain();
      this.checkSlots();
      return condition();
    };
    return until(look, what, this.#timeoutMs);
  }

  async untilRunning(...workloads: readonly Workload[]): Promise<void> {
    const ids = workloads.map(({ id }) => id);
    await this.until(() => ids.every((id) => this.setup.running().includes(id)), `${ids.join(', ')} are running`);
  }

  /** Waits until the fate of each is reported. */
  async untilOver(...workloads: readonly Workload[]): Promise<void> {
    const isOver = () => {
      const over = new Set(this.fates().map(({ workloadId }) => workloadId));
      return workloads.every(({ id }) => over.has(id));
    };
    const ids = workloads.map(({ id }) => id);
    await this.until(isOver, `the fates of ${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ' …' : ''} are reported`);
  }

  async untilAllFree(): Promise<void> {
    const isFree = () => this.executor.openSlots === (this.#parallelism || Number.POSITIVE_INFINITY);
    await this.until(isFree, `all ${this.#parallelism || ''} slots are open again`);
  }

  drain(): void {
    if (!this.#isAwake) return;
    this.#isAwake = false;
    this.events.push(...this.executor.drainEvents());
  }

  fates(): readonly ExecutorEvent[] {
    return this.events.filter(({ type }) => type !== 'accepted');
  }

  fateOf({ id }: Workload): ExecutorEvent['type'] | undefined {
    return this.fates().find(({ workloadId }) => workloadId === id)?.type;
  }

  externalIdOf({ id }: Workload): string | null {
    const event = this.events.find(({ type, workloadId }) => type === 'accepted' && workloadId === id);
    return event?.type === 'accepted' ? event.externalId : null;
  }

  checkNeverStarted({ id }: Workload): void {
    check(!this.setup.started().includes(id), `${id} was started`);
  }

  /** What holds in every question: whatever happened, it happened and was reported once. */
  checkOnce(): void {
    this.drain();
    checkUnique(this.setup.started(), 'was started');
    checkUnique(
      this.fates().map(({ workloadId }) => workloadId),
      'was reported as over',
    );
    this.checkSlots();
  }

  private checkSlots(): void {
    const running = this.setup.running();
    const isWithin = this.#parallelism === 0 || running.length <= this.#parallelism;
    check(isWithin, `${running.length} workloads run in ${this.#parallelism} slots: ${running.join(', ')}`);
  }
}

function checkUnique(ids: readonly string[], what: string): void {
  const counts = Map.groupBy(ids, (id) => id);
  for (const [id, all] of counts) checkEqual(all.length, 1, `how many times ${id} ${what}`);
}

const NO_TASK_API = new Proxy({} as TaskApi, {
  get: (_target, method) => () =>
    Promise.reject(new Error(`The suite's host has no ${String(method)}. Pass a taskApi in ExecutorSetup.host.`)),
});
