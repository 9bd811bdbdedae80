import type { Workload } from '../executor/workload.ts';
import { type ConformanceTest, check, checkEqual } from './conformance-test.ts';
import { ExecutorScene, type ExecutorSetup } from './executor-scene.ts';

export interface ExecutorSuite {
  /** An executor with so many slots, zero for no limit, and nothing to do. Called once for each question. */
  create(parallelism: number): Promise<ExecutorSetup>;
  /** How long to wait for what must happen; slow engines need more. Default: 4,000. */
  readonly timeoutMs?: number;
}

/**
 * What every executor answers for. It assumes nothing about where workloads run.
 *
 * ```ts
 * for (const { name, run } of testExecutor({ create, timeoutMs: 60_000 })) test(name, run, 120_000);
 * ```
 */
export function testExecutor(options: ExecutorSuite): readonly ConformanceTest[] {
  return Object.entries(QUESTIONS).map(([name, { parallelism, ask }]) => ({
    name,
    async run() {
      const setup = await options.create(parallelism);
      try {
        const scene = await ExecutorScene.start(setup.executor, setup, parallelism, options.timeoutMs);
        await ask(scene);
        scene.checkOnce();
      } finally {
        await setup.close();
      }
    },
  }));
}

interface Question {
  readonly parallelism: number;
  ask(scene: ExecutorScene): Promise<void>;
}

const QUESTIONS: Readonly<Record<string, Question>> = {
  'slots are never exceeded, not even by a heartbeat': slots(3, async (scene) => {
    const workloads = times(8, () => scene.queue('hang'));
    for (const [index, workload] of workloads.entries()) {
      // Among equals first come, first served: so this one, and at most the two behind it.
      await scene.untilRunning(...workloads.slice(index, index + 3));
      await scene.executor.heartbeat();
      checkEqual(scene.executor.openSlots, Math.max(0, index + 3 - workloads.length), 'open slots');
      await scene.setup.release(workload.id);
      await scene.untilOver(workload);
    }
    await scene.untilAllFree();
  }),

  'freed slots are refilled without a heartbeat': slots(2, async (scene) => {
    await scene.untilOver(...times(20, () => scene.queue('succeed')));
    await scene.untilAllFree();
  }),

  'a workload begins without a heartbeat, whenever it is queued': slots(0, async (scene) => {
    // The moments between two turns of the event loop are where an executor that is just falling asleep forgets one.
    for (let moment = 0; moment < 12; moment++) {
      const first = scene.queue('succeed');
      for (let i = 0; i < moment; i++) await Promise.resolve();
      await scene.untilOver(first, scene.queue('succeed'));
    }
  }),

  'of 200 short workloads none is lost and none runs twice': slots(8, async (scene) => {
    const workloads = times(200, () => scene.queue('succeed'));
    await scene.untilOver(...workloads);
    checkEqual([...scene.setup.started()].sort(), workloads.map(({ id }) => id).sort(), 'what was started');
    check(
      scene.fates().every(({ type }) => type === 'ended'),
      'A workload that ended was reported otherwise',
    );
    await scene.untilAllFree();
  }),

  'queueing the same workload twice runs it once, queued or running': slots(1, async (scene) => {
    const [running, queued] = [scene.queue('hang'), scene.queue('succeed')];
    await scene.untilRunning(running);
    for (const workload of [running, queued, queued]) scene.executor.queueWorkload(workload);
    await scene.setup.release(running.id);
    const last = scene.queue('succeed');
    await scene.untilOver(running, queued, last);
    checkEqual(scene.setup.started(), [running.id, queued.id, last.id], 'what was started');
  }),

  'higher priority goes first, and first come, first served among equals': slots(1, async (scene) => {
    const blocker = scene.queue('hang');
    await scene.untilRunning(blocker);
    const queued = [1, 5, 3, 5, -1, 1, 3].map((priority) => scene.queue('succeed', { priority }));
    await scene.setup.release(blocker.id);
    await scene.untilOver(blocker, ...queued);
    const order = [1, 3, 2, 6, 0, 5, 4].map((index) => queued[index]!.id);
    checkEqual(scene.setup.started().slice(1), order, 'the order of starts');
  }),

  'parallelism 0 means no limit': slots(0, async (scene) => {
    const workloads = times(20, () => scene.queue('hang'));
    await scene.untilRunning(...workloads);
    check(scene.executor.openSlots === Number.POSITIVE_INFINITY, 'openSlots is not Infinity');
    for (const { id } of workloads) await scene.setup.release(id);
    await scene.untilOver(...workloads);
  }),

  'success, failure and deferral all end as plain ended': slots(3, async (scene) => {
    for (const behaviour of ['succeed', 'fail', 'defer'] as const) {
      const workload = scene.queue(behaviour);
      await scene.untilOver(workload);
      checkEqual(scene.fateOf(workload), 'ended', `what was reported of a workload made to ${behaviour}`);
    }
    await scene.untilAllFree();
  }),

  'callbacks and connection tests are run and reported like tasks': slots(1, async (scene) => {
    for (const type of ['callback', 'testConnection'] as const) {
      for (const [behaviour, fate] of [
        ['succeed', 'ended'],
        ['fail', 'ended'],
        ['die', 'lost'],
      ] as const) {
        const workload = scene.queue(behaviour, { type });
        checkEqual(workload.type, type, 'the type of the workload that the setup made');
        await scene.untilOver(workload);
        check(scene.setup.started().includes(workload.id), `${workload.id} was never started`);
        checkEqual(scene.fateOf(workload), fate, `what was reported of a ${type} made to ${behaviour}`);
      }
    }
    await scene.untilAllFree();
  }),

  'a worker that dies is reported as lost, with a reason, and frees its slot': slots(1, async (scene) => {
    const [dying, next] = [scene.queue('die'), scene.queue('succeed')];
    await scene.untilOver(dying, next);
    const [lost] = scene.fates();
    check(lost?.type === 'lost' && lost.workloadId === dying.id, `Reported instead: ${JSON.stringify(lost)}`);
    check(lost.reason.trim() !== '', 'It was lost without a reason');
    checkEqual(scene.fateOf(next), 'ended', 'what was reported of the next workload');
    await scene.untilAllFree();
  }),

  'revoking a queued workload means that it never starts': slots(1, async (scene) => {
    const running = scene.queue('hang');
    await scene.untilRunning(running);
    const [revoked, next] = [scene.queue('succeed', { priority: 9 }), scene.queue('succeed')];
    await scene.executor.revoke([revoked.id]);
    await scene.setup.release(running.id);
    await scene.untilOver(running, next);
    scene.checkNeverStarted(revoked);
    await scene.untilAllFree();
  }),

  'revoking a running workload kills it and frees its slot': slots(1, async (scene) => {
    const [killed, next] = [scene.queue('hang'), scene.queue('hang')];
    await scene.untilRunning(killed);
    await scene.executor.revoke([killed.id]);
    await scene.untilOver(killed);
    await scene.untilRunning(next);
    checkEqual(scene.setup.running(), [next.id], 'what runs');
    await scene.setup.release(next.id);
    await scene.untilOver(next);
    checkEqual(scene.fateOf(next), 'ended', 'what was reported of the next workload');
    await scene.untilAllFree();
  }),

  'revoking while a workload is starting kills it too': slots(1, async (scene) => {
    for (let moment = 0; moment < 6; moment++) {
      const [early, next] = [scene.queue('hang'), scene.queue('succeed')];
      for (let i = 0; i < moment; i++) await Promise.resolve();
      await scene.executor.revoke([early.id]);
      await scene.untilOver(next);
      check(!scene.setup.running().includes(early.id), `${early.id} was revoked, and runs`);
    }
    await scene.untilAllFree();
  }),

  'revoking unknown workloads is no error and holds no slot': slots(1, async (scene) => {
    const over = scene.queue('succeed');
    await scene.untilOver(over);
    await scene.executor.revoke([over.id, 'task:unknown:1', 'no such form']);
    await scene.executor.revoke([]);
    await scene.untilAllFree();
    await scene.untilOver(scene.queue('succeed'));
  }),

  'adopting unknown workloads answers none, holds no slot and starts nothing': slots(1, async (scene) => {
    const unknown = times(3, () => scene.setup.workload('succeed'));
    const adoptable = unknown.map((workload, index) => ({ workload, externalId: index === 0 ? null : 'gone' }));
    checkEqual(await scene.executor.adopt(adoptable), [], 'what was adopted');
    await scene.untilAllFree();
    checkEqual(scene.setup.started(), [], 'what was started');
    // The platform queues them again.
    for (const workload of unknown) scene.executor.queueWorkload(workload);
    await scene.untilOver(...unknown);
  }),

  'a successor adopts what runs, and reports its end under the same id without starting it again': slots(
    2,
    async (scene) => {
      const [kept, killed] = [scene.queue('hang'), scene.queue('hang')];
      await scene.untilRunning(kept, killed);
      const successor = await scene.succeed();
      if (!successor) return;
      const adoptable = [kept, killed].map((workload) => ({ workload, externalId: scene.externalIdOf(workload) }));
      const unknown = { workload: scene.setup.workload('succeed'), externalId: null };
      const adopted = await successor.executor.adopt([...adoptable, unknown]);
      checkEqual([...adopted].sort(), [kept.id, killed.id].sort(), 'what was adopted');
      checkEqual(successor.executor.openSlots, 0, 'open slots with two adopted workloads');
      // Already its own: this changes nothing.
      successor.executor.queueWorkload(kept);
      const next = successor.queue('succeed');
      await successor.executor.revoke([killed.id]);
      await successor.untilOver(killed, next);
      check(scene.setup.running().includes(kept.id), 'An adopted workload stopped running');
      await scene.setup.release(kept.id);
      await successor.untilOver(kept);
      checkEqual(successor.fateOf(kept), 'ended', 'what was reported of the adopted workload');
      await successor.untilAllFree();
      successor.checkOnce();
    },
  ),

  'the fate of an old hand-off is not taken for that of the new one': slots(2, async (scene) => {
    for (const fate of ['revoked', 'ended'] as const) {
      const old = scene.queue('hang');
      const current = scene.queue('hang', { after: old });
      check(old.id !== current.id, 'Two hand-offs of a task instance have the same id');
      await scene.untilRunning(old, current);
      await (fate === 'revoked' ? scene.executor.revoke([old.id]) : scene.setup.release(old.id));
      await scene.untilOver(old);
      checkEqual(scene.setup.running(), [current.id], `what runs after the old one was ${fate}`);
      // Late news, once more.
      await scene.executor.revoke([old.id]);
      checkEqual(scene.executor.openSlots, 1, 'open slots while the new one runs');
      checkEqual(scene.fateOf(current), undefined, 'what was reported of the new one');
      await scene.setup.release(current.id);
      await scene.untilOver(current);
      checkEqual(scene.fateOf(current), 'ended', 'what was reported of the new one in the end');
    }
    await scene.untilAllFree();
  }),

  'end waits for what runs, starts nothing that is queued and takes nothing more': slots(1, async (scene) => {
    const [running, queued] = [scene.queue('hang'), scene.queue('succeed')];
    await scene.untilRunning(running);
    let isOver = false;
    const ending = scene.executor.end().then(() => {
      isOver = true;
    });
    checkRefuses(scene);
    await scene.executor.heartbeat();
    check(!isOver, 'end() resolved while a workload was running');
    await scene.setup.release(running.id);
    await scene.until(() => isOver, 'end() resolves after the last workload has ended');
    await ending;
    await scene.untilOver(running);
    checkEqual(scene.fateOf(running), 'ended', 'what was reported of the running workload');
    scene.checkNeverStarted(queued);
  }),

  'terminate kills what runs, starts nothing that is queued and takes nothing more': slots(2, async (scene) => {
    const [first, second, queued] = times(3, () => scene.queue('hang')) as [Workload, Workload, Workload];
    await scene.untilRunning(first, second);
    let isOver = false;
    const terminating = scene.executor.terminate().then(() => {
      isOver = true;
    });
    checkRefuses(scene);
    await scene.until(() => isOver, 'terminate() resolves');
    await terminating;
    await scene.untilOver(first, second);
    checkEqual(scene.setup.running(), [], 'what runs');
    scene.checkNeverStarted(queued);
  }),

  'end and terminate of an idle executor resolve': slots(2, async (scene) => {
    await scene.untilOver(scene.queue('succeed'));
    await scene.executor.end();
    await scene.executor.terminate();
    checkRefuses(scene);
  }),
};

function slots(parallelism: number, ask: Question['ask']): Question {
  return { parallelism, ask };
}

function checkRefuses(scene: ExecutorScene): void {
  const workload = scene.setup.workload('succeed');
  try {
    scene.executor.queueWorkload(workload);
  } catch {
    return;
  }
  check(false, 'queueWorkload() took a workload after the executor was stopped');
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}
