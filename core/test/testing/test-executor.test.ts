import { describe, expect, test } from 'vitest';
import type { AdoptableWorkload, ExecutorEvent } from '../../src/executor/executor.ts';
import type { Workload } from '../../src/executor/workload.ts';
import { InlineExecutor } from '../../src/testing/inline-executor.ts';
import { testExecutor } from '../../src/testing/test-executor.ts';
import { until } from '../../src/testing/until.ts';
import { failedQuestions } from './failed-questions.ts';
import { MemoryEngine, MemoryEngineExecutor } from './memory-engine.ts';

describe('the inline executor', () => {
  const create = async (parallelism: number) => {
    const engine = new MemoryEngine();
    return engine.setup(new InlineExecutor({ parallelism, run: engine.run }));
  };
  for (const { name, run } of testExecutor({ create })) test(name, run);
});

const suite = (executor: typeof MemoryEngineExecutor, timeoutMs?: number) =>
  testExecutor({
    async create(parallelism) {
      const engine = new MemoryEngine();
      const first = new executor(engine, parallelism);
      return engine.setup(first, async () => {
        first.isDead = true;
        return new executor(engine, parallelism);
      });
    },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });

describe('an executor whose workloads outlive it', () => {
  for (const { name, run } of suite(MemoryEngineExecutor)) test(name, run);
});

describe('the base executor', () => {
  const host = {
    log: { debug() {}, info() {}, warning() {}, error() {} },
    jobId: '1',
    projectRoot: '.',
    apiUrl: null,
    taskApi: {} as never,
    wake() {},
  };

  test('starts a workload that was withdrawn and queued again as it was queued last', async () => {
    const engine = new MemoryEngine();
    const executor = new MemoryEngineExecutor(engine, 1);
    await executor.start(host);
    const blocker = engine.workload('hang');
    const [again, other] = [engine.workload('succeed', { priority: 9 }), engine.workload('succeed', { priority: 5 })];
    executor.queueWorkload(blocker);
    await until(() => engine.running.has(blocker.id), 'the blocker runs');
    for (const workload of [again, other]) executor.queueWorkload(workload);
    await executor.revoke([again.id]);
    executor.queueWorkload({ ...again, priority: 1 });
    engine.kill(blocker.id);
    await until(() => engine.started.length === 3, 'all have begun');
    expect(engine.started).toEqual([blocker.id, other.id, again.id]);
  });

  test('reports a workload that the engine refused, and gives its slot to the next', async () => {
    class Refusing extends MemoryEngineExecutor {
      protected override async executeAsync(workload: Workload) {
        if (workload.priority > 0) throw Object.assign(new Error('Quota exceeded'), { isRetryable: false });
        await super.executeAsync(workload);
      }
    }
    const engine = new MemoryEngine();
    const executor = new Refusing(engine, 1);
    await executor.start(host);
    const [refused, next] = [engine.workload('succeed', { priority: 1 }), engine.workload('succeed')];
    for (const workload of [refused, next]) executor.queueWorkload(workload);
    await until(() => executor.openSlots === 1 && engine.started.length === 1, 'the next has ended');
    expect(executor.drainEvents()).toEqual([
      { type: 'refused', workloadId: refused.id, reason: 'Quota exceeded', isRetryable: false },
      { type: 'accepted', workloadId: next.id, externalId: `engine/${next.id}` },
      { type: 'ended', workloadId: next.id },
    ]);
  });
});

describe('the executor suite finds', () => {
  const defects: Record<string, [executor: typeof MemoryEngineExecutor, question: string]> = {
    'slots that are not counted': [
      class extends MemoryEngineExecutor {
        override get openSlots() {
          return this.parallelism || Number.POSITIVE_INFINITY;
        }
      },
      'slots are never exceeded, not even by a heartbeat',
    ],
    'a slot that leaks when a worker dies': [
      reporting((event) => (event.type === 'lost' ? [] : [event])),
      'a worker that dies is reported as lost, with a reason, and frees its slot',
    ],
    'a death that is reported as an end': [
      reporting((event) => [event.type === 'lost' ? { type: 'ended', workloadId: event.workloadId } : event]),
      'a worker that dies is reported as lost, with a reason, and frees its slot',
    ],
    'a death without a reason': [
      reporting((event) => [event.type === 'lost' ? { ...event, reason: '' } : event]),
      'a worker that dies is reported as lost, with a reason, and frees its slot',
    ],
    'a deferral that is reported as a loss': [
      class extends MemoryEngineExecutor {
        protected override follow(workloadId: string, over: Promise<void>) {
          super.follow(
            workloadId,
            over.then(() => Promise.reject(new Error('Exit code 100'))),
          );
        }
      },
      'success, failure and deferral all end as plain ended',
    ],
    'workloads that are refused because they are no tasks': [
      class extends MemoryEngineExecutor {
        protected override async executeAsync(workload: Workload) {
          if (workload.type !== 'task') throw new Error('Only tasks');
          await super.executeAsync(workload);
        }
      },
      'callbacks and connection tests are run and reported like tasks',
    ],
    'a workload that is started twice': [
      class extends MemoryEngineExecutor {
        protected override async executeAsync(workload: Workload) {
          await super.executeAsync(workload);
          this.engine.started.push(workload.id);
        }
      },
      'of 200 short workloads none is lost and none runs twice',
    ],
    'a workload that is lost now and then': [
      class extends MemoryEngineExecutor {
        #count = 0;
        protected override async executeAsync(workload: Workload) {
          if (++this.#count !== 150) await super.executeAsync(workload);
        }
      },
      'of 200 short workloads none is lost and none runs twice',
    ],
    'a fate that is reported twice': [
      class extends MemoryEngineExecutor {
        override drainEvents() {
          return super.drainEvents().flatMap((event) => [event, event]);
        }
      },
      'freed slots are refilled without a heartbeat',
    ],
    'a fate that wakes nobody': [
      class extends MemoryEngineExecutor {
        override start() {
          return super.start({
            log: {} as never,
            jobId: '1',
            projectRoot: '.',
            apiUrl: null,
            taskApi: {} as never,
            wake() {},
          });
        }
      },
      'freed slots are refilled without a heartbeat',
    ],
    'slots that wait for a heartbeat': [
      class extends MemoryEngineExecutor {
        #isBeating = false;
        #hasBegun = false;
        override async heartbeat() {
          this.#isBeating = true;
          await super.heartbeat();
          this.#isBeating = false;
        }
        protected override async triggerTasks(openSlots: number) {
          if (!this.#isBeating && this.#hasBegun) return;
          this.#hasBegun = true;
          await super.triggerTasks(openSlots);
        }
      },
      'freed slots are refilled without a heartbeat',
    ],
    'a second copy of what is running already': [
      class extends MemoryEngineExecutor {
        override queueWorkload(workload: Workload) {
          const isKnown = this.running.delete(workload.id);
          super.queueWorkload(workload);
          if (isKnown) void this.heartbeat();
        }
      },
      'queueing the same workload twice runs it once, queued or running',
    ],
    'priorities that are ignored': [
      class extends MemoryEngineExecutor {
        override queueWorkload(workload: Workload) {
          super.queueWorkload({ ...workload, priority: 0 });
        }
      },
      'higher priority goes first, and first come, first served among equals',
    ],
    'a parallelism of zero taken for no slots': [
      class extends MemoryEngineExecutor {
        override get openSlots() {
          return Math.max(0, this.parallelism - this.running.size);
        }
      },
      'parallelism 0 means no limit',
    ],
    'a revoke that does nothing': [
      class extends MemoryEngineExecutor {
        override async revoke() {}
      },
      'revoking a queued workload means that it never starts',
    ],
    'a revoke that only forgets': [
      class extends MemoryEngineExecutor {
        override async revoke(workloadIds: readonly string[]) {
          for (const workloadId of workloadIds) this.report({ type: 'lost', workloadId, reason: 'revoked' });
        }
      },
      'revoking a running workload kills it and frees its slot',
    ],
    'a revoke that misses what is just starting': [
      class extends MemoryEngineExecutor {
        override async revoke(workloadIds: readonly string[]) {
          const running = workloadIds.filter((id) => this.running.has(id));
          await (running.length > 0 ? this.kill(running) : super.revoke(workloadIds));
        }
      },
      'revoking while a workload is starting kills it too',
    ],
    'a revoke that rejects for what it does not know': [
      class extends MemoryEngineExecutor {
        override async revoke(workloadIds: readonly string[]) {
          for (const id of workloadIds) if (!this.engine.started.includes(id)) throw new Error('404');
          await super.revoke(workloadIds);
        }
      },
      'revoking unknown workloads is no error and holds no slot',
    ],
    'an adoption of what does not exist': [
      class extends MemoryEngineExecutor {
        override async adopt(workloads: readonly AdoptableWorkload[]) {
          for (const { workload } of workloads) this.hold(workload);
          return workloads.map(({ workload }) => workload.id);
        }
      },
      'adopting unknown workloads answers none, holds no slot and starts nothing',
    ],
    'an adoption that starts again': [
      class extends MemoryEngineExecutor {
        override async adopt(workloads: readonly AdoptableWorkload[]) {
          const adopted = await super.adopt(workloads);
          this.engine.started.push(...adopted);
          return adopted;
        }
      },
      'a successor adopts what runs, and reports its end under the same id without starting it again',
    ],
    'an adoption without a slot': [
      class extends MemoryEngineExecutor {
        protected override hold() {}
      },
      'a successor adopts what runs, and reports its end under the same id without starting it again',
    ],
    'hand-offs told apart by their task instance only': [
      class extends MemoryEngineExecutor {
        protected override async kill(workloadIds: readonly string[]) {
          const task = (id: string) => id.split(':')[1];
          const killed = new Set(workloadIds.map(task));
          await super.kill([...this.running.keys()].filter((id) => killed.has(task(id))));
        }
      },
      'the fate of an old hand-off is not taken for that of the new one',
    ],
    'an end that does not wait': [
      class extends MemoryEngineExecutor {
        override async end() {
          void super.end();
        }
      },
      'end waits for what runs, starts nothing that is queued and takes nothing more',
    ],
    'an end that still takes work': [
      class extends MemoryEngineExecutor {
        override queueWorkload(workload: Workload) {
          try {
            super.queueWorkload(workload);
          } catch {}
        }
      },
      'end waits for what runs, starts nothing that is queued and takes nothing more',
    ],
    'a terminate that only waits': [
      class extends MemoryEngineExecutor {
        override terminate() {
          return this.end();
        }
      },
      'terminate kills what runs, starts nothing that is queued and takes nothing more',
    ],
  };

  for (const [defect, [executor, question]] of Object.entries(defects))
    test(defect, async () => expect(await failedQuestions(suite(executor, 200))).toContain(question));
});

/** An executor whose news passes through something broken. */
function reporting(broken: (event: ExecutorEvent) => readonly ExecutorEvent[]): typeof MemoryEngineExecutor {
  return class extends MemoryEngineExecutor {
    protected override report(event: ExecutorEvent) {
      for (const each of broken(event)) super.report(each);
    }
  };
}
