import {
  BaseExecutor,
  type FinishReport,
  type TaskInstanceKey,
  type TaskWorkload,
  type Workload,
} from '@windhover/core';

export type Script = (key: TaskInstanceKey, tryNumber: number) => FinishReport | Promise<FinishReport> | 'die';

export const succeed: FinishReport = { state: 'success', result: { type: 'none' } };
export const fail: FinishReport = { state: 'failed', error: { name: 'Error', message: 'as the script wants it' } };

/** Runs tasks by a script instead of in processes, through the real TaskApi. */
export class ScriptedExecutor extends BaseExecutor {
  readonly started: TaskInstanceKey[] = [];
  readonly callbacks: string[] = [];
  /** How many tasks ran at once, at most. */
  peak = 0;
  #now = 0;
  readonly #script: Script;

  constructor(script: Script = () => succeed, parallelism = 8) {
    super({ parallelism });
    this.#script = script;
  }

  protected override async executeAsync(workload: Workload): Promise<void> {
    if (workload.type === 'task') void this.#runTask(workload);
    else void this.#runCallback(workload);
  }

  protected override async kill(workloadIds: readonly string[]): Promise<void> {
    for (const workloadId of workloadIds) this.report({ type: 'lost', workloadId, reason: 'killed' });
  }

  async #runTask({ id, taskInstanceId, epoch, key }: TaskWorkload): Promise<void> {
    const handOff = { taskInstanceId, epoch };
    try {
      const identity = { hostname: 'scripted', pid: process.pid, codeHash: '' };
      const { tryNumber } = await this.host.taskApi.start(handOff, identity);
      this.started.push(key);
      this.#now += 1;
      this.peak = Math.max(this.peak, this.#now);
      const report = await this.#script(key, tryNumber);
      this.#now -= 1;
      if (report === 'die') return this.report({ type: 'lost', workloadId: id, reason: 'the script wants it' });
      await this.host.taskApi.finish(handOff, report);
    } catch {
      // Overtaken: somebody has ended the task meanwhile.
    }
    this.report({ type: 'ended', workloadId: id });
  }

  async #runCallback(workload: Exclude<Workload, TaskWorkload>): Promise<void> {
    if (workload.type === 'callback') {
      const started = await this.host.taskApi.startCallback(workload.callbackId);
      this.callbacks.push(JSON.stringify(started?.callback));
      await this.host.taskApi.finishCallback(workload.callbackId, null);
    }
    this.report({ type: 'ended', workloadId: workload.id });
  }
}
