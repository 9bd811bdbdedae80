import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { deserialize, serialize } from '@windhover/core';
import { reviveError } from '../ipc/revive-error.ts';
import { moduleFile, userCodeEnvironment, userCodeExecArgv } from '../loader/user-code-process.ts';
import type { Stoppable, StopSignal } from './stop-signal.ts';
import type { ThreadAnswer, ThreadTask } from './thread-entry.ts';

/** `scope.runInThread`: each call in a thread of its own, no more of them at once than there are cores. */
export class ThreadCalls {
  readonly #projectRoot: string;
  readonly #waiting: (() => void)[] = [];
  #free = Math.max(2, availableParallelism());

  constructor(projectRoot: string) {
    this.#projectRoot = projectRoot;
  }

  async call<T>(classpath: string, args: readonly unknown[], stop: StopSignal): Promise<T> {
    const task: ThreadTask = {
      projectRoot: this.#projectRoot,
      classpath,
      args: serialize(args, `arguments of ${classpath}`),
    };
    const slot = this.#take();
    await stop.race(slot).catch((error: unknown) => {
      void slot.then(() => this.#release());
      throw error;
    });
    try {
      const value = await runThread(task, stop);
      return (value === undefined ? undefined : deserialize(value)) as T;
    } finally {
      this.#release();
    }
  }

  async #take(): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

function runThread(task: ThreadTask, stop: StopSignal): Promise<ThreadAnswer['value']> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(moduleFile('thread-entry', import.meta.url), {
      workerData: task,
      execArgv: userCodeExecArgv(),
      env: userCodeEnvironment(),
    });
    const open: Stoppable = {
      stop: (error) => {
        void thread.terminate();
        reject(error);
      },
    };
    thread.once('message', ({ value, error }: ThreadAnswer) => {
      if (error) reject(reviveError(error));
      else resolve(value);
      void thread.terminate();
    });
    thread.once('error', reject);
    thread.once('exit', (code) => {
      stop.remove(open);
      reject(new Error(`The thread of ${task.classpath} ended with code ${code} before the function returned.`));
    });
    stop.add(open);
  });
}
