import { BaseExecutor } from '../../src/executor/base-executor.ts';
import type { AdoptableWorkload } from '../../src/executor/executor.ts';
import { type TaskWorkload, taskWorkloadId, type Workload } from '../../src/executor/workload.ts';
import type { ExecutorSetup, WorkloadBehaviour } from '../../src/testing/executor-scene.ts';

/** Behaves like processes that belong to nobody: they go on when the scheduler that started them is gone. */
export class MemoryEngine {
  readonly started: string[] = [];
  readonly running = new Map<string, Promise<void>>();
  /** What hanging ones wait for. */
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  readonly #behaviours = new Map<string, WorkloadBehaviour>();

  readonly run = (workload: Workload, signal?: AbortSignal): Promise<void> => {
    const { id } = workload;
    signal?.addEventListener('abort', () => this.kill(id));
    this.started.push(id);
    this.#gates.set(id, Promise.withResolvers());
    const over = this.#live(id).finally(() => this.running.delete(id));
    this.running.set(id, over);
    return over;
  };

  workload(behaviour: WorkloadBehaviour, options: Parameters<ExecutorSetup['workload']>[1] = {}): Workload {
    const { after, priority = 0, queue = 'default', type = 'task' } = options;
    const number = String(this.#behaviours.size + 1);
    if (type !== 'task') {
      const id = `${type}:${number}`;
      this.#behaviours.set(id, behaviour);
      const envelope = { id, token: id, priority, queue, executorConfig: {} };
      return type === 'callback'
        ? { ...envelope, type, callbackId: number, dagFile: 'd.ts' }
        : { ...envelope, type, testId: number };
    }
    const former = after as TaskWorkload | undefined;
    const taskInstanceId = former?.taskInstanceId ?? number;
    const epoch = (former?.epoch ?? 0) + 1;
    const id = taskWorkloadId(taskInstanceId, epoch);
    this.#behaviours.set(id, behaviour);
    const key = { dagId: 'd', runId: 'r', taskId: `t${taskInstanceId}`, mapIndex: -1 };
    return {
      type: 'task',
      id,
      token: id,
      priority,
      queue,
      executorConfig: {},
      taskInstanceId,
      epoch,
      key,
      dagFile: 'd.ts',
    };
  }

  kill(id: string): void {
    this.#gates.get(id)?.reject(new Error(`"${id}" was killed`));
  }

  /** What the suite asks of an executor on this engine. */
  setup(executor: ExecutorSetup['executor'], successor?: ExecutorSetup['successor']): ExecutorSetup {
    return {
      executor,
      workload: (...args) => this.workload(...args),
      started: () => this.started,
      running: () => [...this.running.keys()],
      release: (id) => this.#gates.get(id)?.resolve(),
      close: async () => {
        for (const { resolve } of this.#gates.values()) resolve();
      },
      ...(successor ? { successor } : {}),
    };
  }

  async #live(id: string): Promise<void> {
    await Promise.resolve();
    const behaviour = this.#behaviours.get(id);
    if (behaviour === 'die') throw new Error('SIGKILL');
    if (behaviour === 'hang') await this.#gates.get(id)!.promise;
  }
}

/** An executor whose starts take a while and whose workloads outlive it. */
export class MemoryEngineExecutor extends BaseExecutor {
  protected readonly engine: MemoryEngine;
  isDead = false;

  constructor(engine: MemoryEngine, parallelism: number) {
    super({ parallelism });
    this.engine = engine;
  }

  override async adopt(workloads: readonly AdoptableWorkload[]): Promise<readonly string[]> {
    const found = workloads.filter(({ workload }) => this.engine.running.has(workload.id));
    for (const { workload } of found) {
      this.hold(workload);
      this.follow(workload.id, this.engine.running.get(workload.id)!);
    }
    return found.map(({ workload }) => workload.id);
  }

  protected override async executeAsync(workload: Workload): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    this.follow(workload.id, this.engine.run(workload));
    this.report({ type: 'accepted', workloadId: workload.id, externalId: `engine/${workload.id}` });
  }

  protected override async kill(workloadIds: readonly string[]): Promise<void> {
    for (const id of workloadIds) this.engine.kill(id);
  }

  protected follow(workloadId: string, over: Promise<void>): void {
    over.then(
      () => this.isDead || this.report({ type: 'ended', workloadId }),
      ({ message }) => this.isDead || this.report({ type: 'lost', workloadId, reason: message }),
    );
  }
}
