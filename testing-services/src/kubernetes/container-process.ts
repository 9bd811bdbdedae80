import { type ChildProcess, spawn } from 'node:child_process';
import { ContainerLog } from './container-log.ts';

export interface ContainerStart {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a container ended, as `state.terminated` says it. */
export interface Terminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** A container's command as a process of this machine. */
export class ContainerProcess {
  readonly log = new ContainerLog();
  readonly startedAt = new Date().toISOString();
  readonly whenOver: Promise<Terminated>;
  terminated: Terminated | null = null;
  readonly #child: ChildProcess;

  constructor({ command, cwd, env }: ContainerStart) {
    const [program, ...args] = command;
    // A group of its own: what the command has started goes with it, as in a container.
    this.#child = spawn(program!, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.log.follow(this.#child.stdout!);
    this.log.follow(this.#child.stderr!);
    const over = Promise.withResolvers<Terminated>();
    this.#child.once('error', (error) => {
      if (this.#child.pid === undefined) over.resolve(this.#end(128, 'StartError', { message: error.message }));
    });
    this.#child.once('exit', () => this.#killGroup());
    this.#child.once('close', (code, signal) => {
      const number = signal ? (SIGNALS[signal] ?? 9) : 0;
      over.resolve(this.#end(signal ? 128 + number : code!, code === 0 ? 'Completed' : 'Error', {}));
    });
    this.whenOver = over.promise.then((terminated) => {
      this.terminated = terminated;
      this.log.end();
      return terminated;
    });
  }

  /** Asks it to end; kills it, and what it has started, when it has not after so long. */
  stop(graceMs: number): void {
    if (graceMs <= 0) {
      this.#killGroup();
      return;
    }
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#killGroup(), graceMs);
    void this.whenOver.finally(() => clearTimeout(timer));
  }

  #end(exitCode: number, reason: string, rest: object): Terminated {
    return { exitCode, reason, startedAt: this.startedAt, finishedAt: new Date().toISOString(), ...rest };
  }

  #killGroup(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // It is gone.
    }
  }
}

const SIGNALS: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15, SIGABRT: 6, SIGSEGV: 11 };
