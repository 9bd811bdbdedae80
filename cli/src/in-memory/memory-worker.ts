import { hostname } from 'node:os';
import {
  FIRST_ENTRY,
  serializeTrigger,
  type TaskHandOff,
  TaskStartTrigger,
  taskWorkloadId,
  type WorkerIdentity,
} from '@windhover/core';
import type { TaskInstanceRow } from '@windhover/platform';
import { type ClassLoader, createClassLoader, loadTask, runCallback, runTask } from '@windhover/worker';
import type { MemoryRun } from './memory-run.ts';
import { MemoryTaskApi, type MemoryTaskApiOptions } from './memory-task-api.ts';
import type { Report } from './test-event.ts';

export interface MemoryWorkerOptions extends MemoryTaskApiOptions {
  readonly projectRoot: string;
  /** Default: as for a worker. */
  readonly xcomLimitBytes: number | undefined;
}

/** Runs tasks and callbacks of a run in memory, in this process, one after the other. */
export class MemoryWorker {
  readonly #run: MemoryRun;
  readonly #report: Report;
  readonly #projectRoot: string;
  readonly #xcomLimitBytes: number | undefined;
  readonly #taskApi: MemoryTaskApi;
  readonly #loader: ClassLoader;
  readonly #identity: WorkerIdentity = { hostname: hostname(), pid: process.pid, codeHash: 'in-memory' };

  constructor({ projectRoot, xcomLimitBytes, ...options }: MemoryWorkerOptions) {
    this.#run = options.run;
    this.#report = options.report;
    this.#projectRoot = projectRoot;
    this.#xcomLimitBytes = xcomLimitBytes;
    this.#taskApi = new MemoryTaskApi(options);
    this.#loader = createClassLoader({ projectRoot });
  }

  /** One that was queued. */
  async runTask(row: TaskInstanceRow, signal: AbortSignal): Promise<void> {
    const { version, runId, dagFile } = this.#run.facts;
    const { taskId, mapIndex, epoch } = row;
    const handOff: TaskHandOff = { taskInstanceId: String(row.id), epoch };
    const key = { dagId: version.dag.dagId, runId, taskId, mapIndex };
    if (version.tasks.get(taskId)!.startFromTrigger && row.nextMethod === null) {
      const trigger = new TaskStartTrigger({ ...key, versionHash: version.hash, rendered: [] });
      await this.#taskApi.start(handOff, this.#identity);
      return this.#taskApi.defer(handOff, {
        trigger: serializeTrigger(trigger),
        resume: FIRST_ENTRY,
        timeoutMs: null,
        onTimeout: 'retry',
      });
    }
    const id = taskWorkloadId(handOff.taskInstanceId, epoch);
    const { isProcessSpoilt } = await runTask(
      { ...WORKLOAD, ...handOff, type: 'task', id, key, dagFile },
      {
        taskApi: this.#taskApi,
        identity: this.#identity,
        loadTask: (address) => loadTask(this.#projectRoot, address),
        assertResolvesTo: (classpath, target) => this.#loader.assertResolvesTo(classpath, target),
        signal,
        ownsProcess: true,
        xcomLimitBytes: this.#xcomLimitBytes,
      },
    );
    if (isProcessSpoilt) this.#noteSpoilt(taskId);
  }

  async runCallback(callbackId: string, signal: AbortSignal): Promise<void> {
    const { dagFile } = this.#run.facts;
    await runCallback(
      { ...WORKLOAD, type: 'callback', id: `callback:${callbackId}`, callbackId, dagFile },
      { taskApi: this.#taskApi, projectRoot: this.#projectRoot, signal, ownsProcess: true },
    );
  }

  #noteSpoilt(taskId: string): void {
    const message = 'Its code may go on although the task is over. A worker would end its process; a test cannot.';
    this.#report({ at: new Date().toISOString(), type: 'note', taskId, message });
  }
}

/** What only matters to executors. */
const WORKLOAD = { token: '', priority: 1, queue: 'default', executorConfig: {} } as const;
