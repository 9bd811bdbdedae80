// The entry of a warm child process. It takes workloads from its pool and runs them one after the other.
import { hostname } from 'node:os';
import { type BaseOperator, serializeError, type WorkerIdentity, type Workload } from '@windhover/core';
import { runCallback } from '../callback/run-callback.ts';
import { runConnectionTest } from '../connection-test/run-connection-test.ts';
import { connect } from '../ipc/connect.ts';
import type { IpcChannel } from '../ipc/ipc-channel.ts';
import { serve } from '../ipc/serve.ts';
import { type ClassLoader, createClassLoader } from '../loader/class-loader.ts';
import { loadTask, type TaskAddress } from '../loader/load-task.ts';
import { exitWithParent } from './exit-with-parent.ts';
import { LazyXComBackend } from './lazy-xcom-backend.ts';
import { ABANDON_GRACE_MS } from './run-limited.ts';
import { runTask } from './run-task.ts';
import {
  SETTINGS_VARIABLE,
  type TaskPoolApi,
  type TaskProcessApi,
  type TaskProcessSettings,
} from './task-process-api.ts';

class TaskProcess implements TaskProcessApi {
  readonly #settings: TaskProcessSettings;
  readonly #pool: TaskPoolApi;
  readonly #loader: ClassLoader;
  readonly #xcomBackend: LazyXComBackend | undefined;
  readonly #identity: WorkerIdentity;
  readonly #shutdown = new AbortController();
  readonly #loaded = new Map<string, Promise<BaseOperator<any, any>>>();
  readonly #queue: Workload[] = [];
  /** Code of a workload runs now. */
  #isBusy = false;
  /** Workloads whose report is not made yet. */
  #open = 0;
  #isRetiring = false;

  constructor(settings: TaskProcessSettings, pool: TaskPoolApi) {
    this.#settings = settings;
    this.#pool = pool;
    this.#loader = createClassLoader(settings);
    this.#xcomBackend = settings.xcomBackend && new LazyXComBackend(settings.xcomBackend, this.#loader);
    this.#identity = { hostname: hostname(), pid: process.pid, codeHash: settings.codeHash };
  }

  async run(workloads: readonly Workload[]): Promise<void> {
    this.#queue.push(...workloads);
    this.#runNext();
  }

  async retire(): Promise<void> {
    this.#isRetiring = true;
    this.#exitIfDone();
  }

  /** Aborts what runs and ends the process within a second, whatever the code does. */
  shutDown(reason: string): void {
    if (this.#shutdown.signal.aborted) return;
    this.#queue.length = 0;
    this.#isRetiring = true;
    setTimeout(() => exitWithGroup(1), ABANDON_GRACE_MS + 100);
    this.#shutdown.abort(new Error(reason));
    this.#exitIfDone();
  }

  #runNext(): void {
    if (this.#isBusy) return;
    const workload = this.#queue.shift();
    if (workload) void this.#runOne(workload);
    else this.#exitIfDone();
  }

  async #runOne(workload: Workload): Promise<void> {
    this.#isBusy = true;
    this.#open += 1;
    // The next one begins while this one's report is on its way: its code is over.
    const free = () => {
      this.#isBusy = false;
      this.#runNext();
    };
    let isFree = false;
    const onCodeOver = () => {
      isFree = true;
      free();
    };
    try {
      const end = await this.#dispatch(workload, onCodeOver);
      if (end.type === 'abandoned' && !this.#shutdown.signal.aborted) await this.#pool.gaveUp(workload.id, null);
      if (end.isProcessSpoilt) exitWithGroup(0);
    } catch (error) {
      const { code } = error as { code?: unknown };
      // Withdrawn: the pool knows. Closed: nobody is there to know.
      if (code !== 'E_WORKLOAD_WITHDRAWN' && code !== 'E_IPC_CLOSED')
        await this.#pool.gaveUp(workload.id, serializeError(error)).catch(() => {});
    }
    this.#open -= 1;
    if (isFree) this.#exitIfDone();
    else free();
  }

  #dispatch(
    workload: Workload,
    onCodeOver: () => void,
  ): Promise<{ readonly type: string; readonly isProcessSpoilt: boolean }> {
    const options = {
      ...this.#settings,
      taskApi: this.#pool,
      xcomBackend: this.#xcomBackend,
      signal: this.#shutdown.signal,
      ownsProcess: true,
      onCodeOver,
    };
    switch (workload.type) {
      case 'task':
        return runTask(workload, {
          ...options,
          identity: this.#identity,
          loadTask: (address) => this.#loadTask(address),
          assertResolvesTo: (classpath, target) => this.#loader.assertResolvesTo(classpath, target),
        });
      case 'callback':
        return runCallback(workload, options);
      case 'testConnection':
        return runConnectionTest(workload, { ...options, loader: this.#loader });
    }
  }

  /** Code does not change in a process, so a task is looked up once: the file system costs more than a short task. */
  #loadTask(address: TaskAddress): Promise<BaseOperator<any, any>> {
    const name = JSON.stringify([address.file, address.dagId, address.taskId]);
    const known = this.#loaded.get(name);
    if (known) return known;
    const loading = loadTask(this.#settings.projectRoot, address);
    this.#loaded.set(name, loading);
    loading.catch(() => this.#loaded.delete(name));
    return loading;
  }

  #exitIfDone(): void {
    if (this.#isRetiring && this.#open === 0 && this.#queue.length === 0) void this.#exit();
  }

  async #exit(): Promise<never> {
    setTimeout(() => exitWithGroup(0), ABANDON_GRACE_MS);
    await this.#xcomBackend?.close().catch(() => {});
    exitWithGroup(0);
  }
}

/** What the code has started and left behind goes too, unless it was made a daemon on purpose. */
function exitWithGroup(code: number): never {
  if (process.connected) process.exit(code);
  // The pool would do it, but it is gone.
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    // This process leads no group.
  }
  process.exit(code);
}

const settings = JSON.parse(process.env[SETTINGS_VARIABLE]!) as TaskProcessSettings;
delete process.env[SETTINGS_VARIABLE];
// Taken from `process`: a library that finds `process.send` greets its parent, and the pool is not meant.
const send = process.send!.bind(process) as IpcChannel['send'];
Object.defineProperty(process, 'send', { value: undefined, configurable: true, writable: true });
const channel: IpcChannel = {
  get connected() {
    return process.connected;
  },
  send,
  on: (event: string, listener: (message: unknown) => void) => process.on(event as 'message', listener),
};
const pool = connect<TaskPoolApi>(channel);
const taskProcess = new TaskProcess(settings, pool);
serve<TaskProcessApi>(channel, taskProcess);
process.on('disconnect', () => taskProcess.shutDown('The pool of this process is gone.'));
process.on('SIGTERM', () => taskProcess.shutDown('The process was asked to end.'));
// Ctrl-C reaches every process of a terminal; the scheduler decides what becomes of its tasks.
process.on('SIGINT', () => {});
exitWithParent();
await pool.ready();
