import { type ChildProcess, fork } from 'node:child_process';
import {
  ExecutionTimeoutError,
  type FinishReport,
  type HeartbeatAnswer,
  type SerializedError,
  StaleEpochError,
  type StartedTask,
  serializeError,
  type TaskApi,
  type TaskHandOff,
  type TaskWorkload,
} from '@windhover/core';
import { connect } from '../ipc/connect.ts';
import type { IpcChannel } from '../ipc/ipc-channel.ts';
import { serve } from '../ipc/serve.ts';
import { moduleFile, userCodeEnvironment, userCodeExecArgv } from '../loader/user-code-process.ts';
import { setLongTimeout } from '../task/long-timeout.ts';
import { Masker, secretsIn } from '../task/masker.ts';
import { DEFAULT_TIMEOUT_GRACE_MS } from '../task/run-task.ts';
import type { TaskPoolApi, TaskProcessApi, TaskProcessSettings } from '../task/task-process-api.ts';
import { WorkloadWithdrawnError } from '../task/workload-withdrawn-error.ts';
import { OutputTail } from './output-tail.ts';

export interface WorkerProcessHost {
  readonly taskApi: TaskApi;
  onReady(worker: WorkerProcess): void;
  onStarted(worker: WorkerProcess, workloadId: string): void;
  /** A workload is over; `lostReason` is null if it ended in order. */
  onOver(worker: WorkerProcess, workloadId: string, lostReason: string | null): void;
  /** The process is gone, with these workloads that had not begun. `why` is for people. */
  onExit(worker: WorkerProcess, notBegun: readonly TaskWorkload[], why: string): void;
  onOutput(worker: WorkerProcess, line: string): void;
}

interface Assignment {
  readonly workload: TaskWorkload;
  /** Null while it has not begun: then it may still be given to another process. */
  begunAt: number | null;
  /** The report is under way. */
  report: Promise<void> | null;
  /** What is reported in its place when its process had to be killed because it did not end in time. */
  verdict: FinishReport | null;
  callOffKill(): void;
}

/** One child process of a pool: what it was given, what of that has begun, and how it ended. */
export class WorkerProcess {
  readonly codeHash: string;
  /** How many workloads it was given in its life. */
  tasksTaken = 0;
  isReady = false;
  /** It gets no more workloads, and exits after its last. */
  isRetiring = false;
  readonly #host: WorkerProcessHost;
  readonly #settings: TaskProcessSettings;
  readonly #child: ChildProcess;
  readonly #remote: TaskProcessApi;
  readonly #masker = new Masker();
  readonly #tail: OutputTail;
  /** By hand-off, in the order they were given. */
  readonly #assignments = new Map<string, Assignment>();
  #shortInARow = 0;
  #progressAt = performance.now();
  #killTimer: NodeJS.Timeout | undefined;
  #killReason: string | null = null;
  #isRetireSent = false;
  #isGone = false;

  constructor(settings: TaskProcessSettings, host: WorkerProcessHost) {
    this.#host = host;
    this.#settings = settings;
    this.codeHash = settings.codeHash;
    this.#child = fork(moduleFile('../task/task-process', import.meta.url), [JSON.stringify(settings)], {
      cwd: settings.projectRoot,
      execArgv: userCodeExecArgv(),
      env: userCodeEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: what a task starts is killed with it, and Ctrl-C in a terminal reaches only the scheduler.
      detached: true,
    });
    this.#tail = new OutputTail((line) => host.onOutput(this, this.#masker.mask(line)));
    this.#tail.follow(this.#child.stdout!);
    this.#tail.follow(this.#child.stderr!);
    const channel = this.#child as IpcChannel;
    this.#remote = connect<TaskProcessApi>(channel);
    serve<object>(channel, this.#served());
    this.#child.once('exit', (code, signal) => this.#drain(code, signal));
    // It could not even be started; there is no exit then.
    this.#child.on(
      'error',
      (error) => this.#child.pid === undefined && this.#settle(`could not be started: ${error.message}`),
    );
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get wasKilled(): boolean {
    return this.#killReason !== null;
  }

  get load(): number {
    return this.#assignments.size;
  }

  /**
   * How many workloads it may hold. More than one only while its tasks take almost no time, so that it does not wait for
   * the next one; then a few of them travel in one message.
   */
  get depth(): number {
    return this.#shortInARow >= SHORT_BEFORE_PREFETCH ? PREFETCH_DEPTH : 1;
  }

  take(workloads: readonly TaskWorkload[]): void {
    if (this.load === 0) this.#progressAt = performance.now();
    for (const workload of workloads) {
      this.#assignments.set(nameOf(workload), {
        workload,
        begunAt: null,
        report: null,
        verdict: null,
        callOffKill: () => {},
      });
    }
    this.tasksTaken += workloads.length;
    // A broken channel is followed by the exit, which tells everything.
    this.#remote.run(workloads).catch(() => {});
  }

  /** Takes back what has not begun. The process is not asked: it is refused when it comes to start one of them. */
  handBack(): readonly TaskWorkload[] {
    const notBegun = [...this.#assignments.values()].filter(({ begunAt }) => begunAt === null);
    for (const { workload } of notBegun) this.#assignments.delete(nameOf(workload));
    this.tasksTaken -= notBegun.length;
    return notBegun.map(({ workload }) => workload);
  }

  /** Whether others wait behind a task that takes long, or behind a process that makes no progress. */
  isStalled(stallMs: number): boolean {
    return this.hasPrefetched && performance.now() - this.#progressAt > stallMs;
  }

  get hasPrefetched(): boolean {
    return this.load > 1 && [...this.#assignments.values()].some(({ begunAt }) => begunAt === null);
  }

  forgetPace(): void {
    this.#shortInARow = 0;
  }

  /** Whether the workload has begun here; undefined if it is not here. */
  hasBegun(workloadId: string): boolean | undefined {
    const found = [...this.#assignments.values()].find(({ workload }) => workload.id === workloadId);
    return found && found.begunAt !== null;
  }

  retire(): void {
    this.isRetiring = true;
    if (this.isReady && this.load === 0 && !this.#isRetireSent) {
      this.#isRetireSent = true;
      this.#remote.retire().catch(() => {});
    }
  }

  /** Asks it to abort what it runs; it has a second until it is killed. */
  kill(reason: string): void {
    this.isRetiring = true;
    this.#killReason ??= reason;
    this.#child.kill('SIGTERM');
    this.#killTimer ??= setTimeout(() => this.#killNow(reason), KILL_GRACE_MS);
  }

  #killNow(reason: string): void {
    this.isRetiring = true;
    this.#killReason ??= reason;
    killGroup(this.#child);
  }

  /** The TaskApi for what this process was given, with an eye on what passes; the rest is passed on. */
  #served(): object {
    const { taskApi } = this.#host;
    const own: Partial<TaskPoolApi> = {
      ready: async () => {
        this.isReady = true;
        this.#host.onReady(this);
      },
      gaveUp: async (workloadId, error) => this.#gaveUp(workloadId, error),
      start: (handOff, identity) => this.#start(handOff, () => taskApi.start(handOff, identity)),
      finish: (handOff, report) => this.#report(handOff, () => taskApi.finish(handOff, report)),
      defer: (handOff, deferral) => this.#report(handOff, () => taskApi.defer(handOff, deferral)),
      reschedule: (handOff, request) => this.#report(handOff, () => taskApi.reschedule(handOff, request)),
      heartbeat: (handOff) => this.#heartbeat(this.#begun(handOff), () => taskApi.heartbeat(handOff)),
      connection: async (handOff, connId) => {
        this.#begun(handOff);
        const fields = await taskApi.connection(handOff, connId);
        this.#masker.add([...(fields?.password ? [fields.password] : []), ...secretsIn(fields?.extra ?? {})]);
        return fields;
      },
    };
    const passOn =
      (name: string) =>
      (handOff: TaskHandOff, ...args: unknown[]) => {
        this.#begun(handOff);
        return (taskApi as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(handOff, ...args);
      };
    return new Proxy(own, {
      get: (target, name) =>
        Object.hasOwn(target, name)
          ? target[name as keyof typeof target]
          : typeof name === 'string' && name in taskApi
            ? passOn(name)
            : undefined,
    });
  }

  async #start(handOff: TaskHandOff, send: () => Promise<StartedTask>): Promise<StartedTask> {
    const assignment = this.#assignments.get(nameOf(handOff));
    if (!assignment || assignment.begunAt !== null) throw new WorkloadWithdrawnError(nameOf(handOff));
    assignment.begunAt = performance.now();
    this.#progressAt = assignment.begunAt;
    this.#host.onStarted(this, assignment.workload.id);
    const started = await send();
    this.#masker.add(started.secretsToMask);
    if (started.deadlineAt !== null) {
      const leftMs = Date.parse(started.deadlineAt) - Date.parse(started.now);
      const error = serializeError(new ExecutionTimeoutError(assignment.workload.key.taskId, leftMs));
      const graceMs = this.#settings.timeoutGraceMs ?? DEFAULT_TIMEOUT_GRACE_MS;
      this.#killLater(assignment, leftMs + graceMs, { state: 'failed', error });
    }
    return started;
  }

  async #heartbeat(assignment: Assignment, send: () => Promise<HeartbeatAnswer>): Promise<HeartbeatAnswer> {
    const answer = await send();
    if (answer.action === 'stop') this.#killLater(assignment, answer.graceMs, { state: 'stopped' });
    return answer;
  }

  /** The process ends its task itself when time is up; this is for code that blocks it. */
  #killLater(assignment: Assignment, ms: number, verdict: FinishReport): void {
    if (assignment.verdict?.state === verdict.state || assignment.report) return;
    assignment.callOffKill();
    assignment.callOffKill = setLongTimeout(ms + KILL_GRACE_MS, () => {
      assignment.verdict = verdict;
      this.#killNow(`its task did not end ${ms} ms after it had to`);
    });
  }

  async #report(handOff: TaskHandOff, send: () => Promise<void>): Promise<void> {
    const assignment = this.#begun(handOff);
    assignment.callOffKill();
    this.#progressAt = performance.now();
    this.#shortInARow = this.#progressAt - assignment.begunAt! < SHORT_MS ? this.#shortInARow + 1 : 0;
    const report = send();
    assignment.report = report;
    try {
      await report;
    } catch (error) {
      assignment.report = null;
      throw error;
    }
    this.#over(assignment, null);
  }

  #gaveUp(workloadId: string, error: SerializedError | null): void {
    const assignment = [...this.#assignments.values()].find(({ workload }) => workload.id === workloadId);
    if (assignment) this.#over(assignment, error && `it could not be run: ${error.name}: ${error.message}`);
  }

  #begun(handOff: TaskHandOff): Assignment {
    const assignment = typeof handOff === 'object' ? this.#assignments.get(nameOf(handOff)) : undefined;
    if (assignment && assignment.begunAt !== null) return assignment;
    throw new StaleEpochError(`Task instance ${handOff.taskInstanceId}`, handOff.epoch);
  }

  #over(assignment: Assignment, lostReason: string | null): void {
    assignment.callOffKill();
    if (!this.#assignments.delete(nameOf(assignment.workload))) return;
    this.#host.onOver(this, assignment.workload.id, lostReason);
  }

  /** What it had sent before it died is still in the channel, and counts. */
  #drain(code: number | null, signal: NodeJS.Signals | null): void {
    // What the task has started must not go on beside its next try.
    killGroup(this.#child);
    const how = signal ? `was killed by ${signal}` : `exited with code ${code}`;
    if (!this.#child.connected) return void setImmediate(() => this.#settle(how));
    const timer = setTimeout(() => this.#settle(how), DRAIN_MS);
    this.#child.once('disconnect', () => {
      clearTimeout(timer);
      setImmediate(() => this.#settle(how));
    });
  }

  #settle(how: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.isRetiring = true;
    clearTimeout(this.#killTimer);
    const notBegun = this.handBack();
    const why = this.#why(how);
    for (const assignment of [...this.#assignments.values()]) this.#settleOne(assignment, why);
    this.#host.onExit(this, notBegun, why);
  }

  #settleOne(assignment: Assignment, why: string): void {
    const { taskInstanceId, epoch } = assignment.workload;
    const verdict = assignment.verdict && this.#host.taskApi.finish({ taskInstanceId, epoch }, assignment.verdict);
    const report = assignment.report ?? verdict;
    if (!report) this.#over(assignment, why);
    report?.then(
      () => this.#over(assignment, null),
      (error: unknown) => this.#over(assignment, StaleEpochError.isInstance(error) ? null : why),
    );
  }

  #why(how: string): string {
    const reason = this.#killReason ? ` because ${this.#killReason}` : how.endsWith('SIGKILL') ? OUT_OF_MEMORY : '';
    const said = this.#killReason ? '' : this.#tail.last.map((line) => `\n  ${this.#masker.mask(line)}`).join('');
    return `Its process (pid ${this.pid}) ${how}${reason}.${said && ` It said last:${said}`}`;
  }
}

/** Below this a task is short. */
const SHORT_MS = 5;
const SHORT_BEFORE_PREFETCH = 4;
const PREFETCH_DEPTH = 8;
const KILL_GRACE_MS = 1_000;
const DRAIN_MS = 200;
const OUT_OF_MEMORY = ', not by its pool; when memory runs out, the system does that';

function nameOf({ taskInstanceId, epoch }: TaskHandOff): string {
  return `${taskInstanceId}:${epoch}`;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It is gone, or there are no groups here, as on Windows.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
}
