import { countUpstream, evaluateTriggerRule, isDagRunFinished, isTerminal, type Json } from '@windhover/core';
import type { LocatedTaskInstance } from '../store/task-queries.ts';
import { SCHEDULER, TRIGGERER } from './job-types.ts';
import { spanText } from './span-text.ts';
import type { TaskSituation } from './task-situation.ts';

export interface Explanation {
  readonly state: LocatedTaskInstance['state'];
  /** Sentences: what it waits for, since when, what comes next. */
  readonly lines: string[];
  readonly facts: Record<string, Json>;
}

/** Says for a person why a task is where it is, and what comes next. Pure. */
export function explainTask(situation: TaskSituation): Explanation {
  const { instance } = situation;
  if (!instance || instance.state === 'none') return { state: 'none', ...explainNone(situation) };
  return { state: instance.state, ...explainState(situation, instance) };
}

type Reasons = Omit<Explanation, 'state'>;

function explainState(situation: TaskSituation, instance: LocatedTaskInstance): Reasons {
  switch (instance.state) {
    case 'scheduled':
      return explainScheduled(situation, instance);
    case 'queued':
      return explainQueued(situation, instance);
    case 'running':
      return explainRunning(situation, instance);
    case 'deferred':
      return explainDeferred(situation, instance);
    case 'up_for_retry':
    case 'up_for_reschedule':
      return explainPostponed(situation, instance);
    default:
      return explainEnded(situation, instance);
  }
}

function explainNone(situation: TaskSituation): Reasons {
  const { run, dag, task, upstream, past, isDagPaused, runningRuns } = situation;
  if (isDagRunFinished(run.state)) {
    const reason = run.reason ? `: ${run.reason}` : '';
    return {
      lines: [`It has not run, and its run has ended as ${run.state}${reason}.`],
      facts: { runState: run.state },
    };
  }
  if (run.state === 'queued') {
    const lines = [`Its run is queued since ${at(run.queuedAt)} and has not begun.`];
    if (isDagPaused) lines.push(`DAG "${dag.dagId}" is paused, so none of its runs begins. Unpause it.`);
    else if (run.backfillId === null && runningRuns >= dag.maxActiveRuns)
      lines.push(
        `DAG "${dag.dagId}" is at its limit of runs at once: ${runningRuns} of ${dag.maxActiveRuns} (maxActiveRuns).`,
      );
    return {
      lines: [...lines, ...withoutScheduler(situation)],
      facts: { runState: 'queued', isDagPaused, runningRuns },
    };
  }
  const states = task.upstreamTaskIds.map((taskId) => [taskId, upstream.get(taskId) ?? 'removed'] as const);
  const facts = { upstream: Object.fromEntries(states), triggerRule: task.triggerRule };
  if (evaluateTriggerRule(task.triggerRule, countUpstream(states.map(([, state]) => state))) === 'wait') {
    const open = states.filter(([, state]) => !isTerminal(state));
    const lines = open.map(([taskId, state]) => `It waits for "${taskId}", which is ${stateText(state)}.`);
    if (task.triggerRule !== 'all_success') lines.push(`Its trigger rule is ${task.triggerRule}.`);
    return { lines, facts };
  }
  if (past && past.state !== 'success' && past.state !== 'skipped') {
    const state = past.state === null ? `not there yet; that run is ${past.runState}` : stateText(past.state);
    return {
      lines: [`It waits for its own past (dependsOnPast): in run ${past.runId} it is ${state}.`],
      facts: { ...facts, past: { runId: past.runId, state: past.state } },
    };
  }
  return { lines: ['Nothing holds it back: the scheduler takes it next.', ...withoutScheduler(situation)], facts };
}

function explainScheduled(situation: TaskSituation, instance: LocatedTaskInstance): Reasons {
  const { dag, task, pool, active } = situation;
  const lines = [`It is ready since ${since(instance.scheduledAt, instance)} and waits for a place.`];
  if (!pool)
    lines.push(
      `Its pool "${task.pool}" does not exist, so it will fail. Make it: windhover pools set ${task.pool} <slots>.`,
    );
  else if (pool.slots >= 0 && pool.slots - pool.occupiedSlots < task.poolSlots)
    lines.push(
      `Pool "${pool.name}" is full: ${pool.occupiedSlots} of ${pool.slots} slots are taken, and it needs ${task.poolSlots}.`,
    );
  if (active.ofDag >= dag.maxActiveTasks)
    lines.push(
      `DAG "${dag.dagId}" is at its limit of active tasks: ${active.ofDag} of ${dag.maxActiveTasks} (maxActiveTasks).`,
    );
  if (task.maxActivePerDag !== null && active.ofTask >= task.maxActivePerDag)
    lines.push(`It is at its own limit over all runs: ${active.ofTask} of ${task.maxActivePerDag} (maxActivePerDag).`);
  if (lines.length === 1) lines.push('No limit holds it back: it waits for a free slot of the executor.');
  const facts = {
    pool: pool && { name: pool.name, slots: pool.slots, occupiedSlots: pool.occupiedSlots, needed: task.poolSlots },
    activeTasksOfDag: active.ofDag,
    maxActiveTasks: dag.maxActiveTasks,
    activeOfTask: active.ofTask,
    maxActivePerDag: task.maxActivePerDag,
  };
  return { lines: [...lines, ...withoutScheduler(situation)], facts };
}

function explainQueued(situation: TaskSituation, instance: LocatedTaskInstance): Reasons {
  const { job } = situation;
  const by = job ? ` by job ${job.id} (${job.hostname}, process ${job.pid})` : '';
  const lines = [
    `It is queued since ${since(instance.queuedAt, instance)} with the executor "${instance.executor}"${by}, and waits for a worker.`,
  ];
  if (job && !job.isAlive)
    lines.push('That job is gone; another scheduler takes the task over when its lease has ended.');
  const facts = {
    queuedAt: iso(instance.queuedAt),
    executor: instance.executor,
    jobId: job?.id ?? null,
    isJobAlive: job?.isAlive ?? null,
  };
  return { lines: [...lines, ...withoutScheduler(situation)], facts };
}

function explainRunning({ task }: TaskSituation, instance: LocatedTaskInstance): Reasons {
  const { hostname, pid, runningSince, deadlineAt, requestedAction, tryNumber } = instance;
  const lines = [
    `It runs since ${since(runningSince, instance)} on ${hostname}, process ${pid}: try ${tryNumber} of ${task.retries + 1}.`,
    ...deadlineLine(instance),
  ];
  if (requestedAction === 'stop') lines.push('It was asked to stop.');
  if (requestedAction === 'clear') lines.push('It was asked to stop, and begins anew when it has.');
  const facts = {
    hostname,
    pid,
    runningSince: iso(runningSince),
    tryNumber,
    deadlineAt: iso(deadlineAt),
    requestedAction,
  };
  return { lines, facts };
}

function explainDeferred({ trigger, jobs }: TaskSituation, instance: LocatedTaskInstance): Reasons {
  const { now, triggerTimeout, nextMethod } = instance;
  const lines = [`It waits since ${since(instance.deferredSince, instance)} for ${trigger?.classpath ?? 'a trigger'}.`];
  const facts: Record<string, Json> = {
    trigger: trigger?.classpath ?? null,
    deferredSince: iso(instance.deferredSince),
    queue: trigger?.queue ?? null,
    triggererId: trigger?.triggererId ?? null,
    notBefore: iso(trigger?.notBefore ?? null),
    lastPoll: (trigger?.lastPoll ?? null) as Json,
    timeoutAt: iso(triggerTimeout),
    deadlineAt: iso(instance.deadlineAt),
    nextMethod,
  };
  if (trigger?.isHeld) lines.push(`Triggerer ${trigger.triggererId} runs it.`);
  else if (trigger?.notBefore && trigger.notBefore > now)
    lines.push(`It sleeps until ${at(trigger.notBefore)}; no triggerer is needed before.`);
  else if (trigger && aliveOf(jobs, TRIGGERER) === 0)
    lines.push('No triggerer is alive, so nobody runs its trigger. Start one: windhover triggerer.');
  else if (trigger) lines.push(`No triggerer has taken it yet. Does one of them serve the queue "${trigger.queue}"?`);
  const poll = trigger?.lastPoll;
  if (poll) {
    const message = poll.message ? `: ${poll.message}` : '';
    lines.push(`Its last poll, at ${poll.lastPollAt}, ${POLL_TEXT[poll.outcome]}${message}.`);
    if (poll.nextPollAt) lines.push(`It polls again at ${poll.nextPollAt}.`);
  }
  if (triggerTimeout) lines.push(`The wait times out at ${at(triggerTimeout)}, in ${until(triggerTimeout, now)}.`);
  return { lines: [...lines, ...deadlineLine(instance)], facts };
}

const POLL_TEXT = { found: 'found what it waits for', nothing: 'found nothing yet', failure: 'failed' } as const;

function explainPostponed(situation: TaskSituation, instance: LocatedTaskInstance): Reasons {
  const { resumeAt, now, tryNumber, error, state } = instance;
  const isDue = !resumeAt || resumeAt <= now;
  const when = isDue ? 'is due now' : `begins at ${at(resumeAt)}, in ${until(resumeAt, now)}`;
  const lines =
    state === 'up_for_retry'
      ? [
          `Try ${tryNumber - 1} of ${situation.task.retries + 1} has failed${error ? `: ${error.name}: ${error.message}` : '.'}`,
          `Try ${tryNumber} ${when}.`,
        ]
      : [`It has not found what it looks for; its next look ${when}.`];
  const facts = { resumeAt: iso(resumeAt), tryNumber, maxTries: situation.task.retries + 1 };
  return { lines: [...lines, ...(isDue ? withoutScheduler(situation) : [])], facts };
}

function explainEnded({ task, upstream, lastAttempt }: TaskSituation, instance: LocatedTaskInstance): Reasons {
  const { state, endedAt, runningMs, deferredMs, error, tryNumber } = instance;
  const took = `${spanText(runningMs)} of work${deferredMs > 0 ? ` and ${spanText(deferredMs)} of waiting` : ''}`;
  const end = endedAt ? ` at ${at(endedAt)}` : '';
  const reason = lastAttempt?.reason && lastAttempt.reason !== state ? lastAttempt.reason : null;
  const facts = {
    endedAt: iso(endedAt),
    runningMs,
    deferredMs,
    tryNumber,
    reason,
    error: error && { name: error.name, message: error.message, code: error.code ?? null },
  };
  const because = reason ? `: ${reason}` : '';
  switch (state) {
    case 'success':
      return { lines: [`It has succeeded${end}, after ${took}.`], facts };
    case 'failed':
      return {
        lines: [
          `It has failed${end}, in try ${tryNumber} of ${task.retries + 1}, after ${took}.`,
          error
            ? `${error.name}: ${error.message}`
            : `There is no error: it was marked, or ended with its run${because}.`,
        ],
        facts,
      };
    case 'upstream_failed': {
      const failed = [...upstream].filter(([, other]) => other === 'failed' || other === 'upstream_failed');
      const names = failed.map(([taskId, other]) => `"${taskId}" (${stateText(other)})`).join(', ');
      return {
        lines: [
          `It could not run${end}: its trigger rule ${task.triggerRule} cannot be met${names ? ` because of ${names}` : ''}.`,
        ],
        facts: { ...facts, upstream: Object.fromEntries(upstream) },
      };
    }
    case 'stopped':
      return { lines: [`It was stopped${end}, after ${took}${because}.`], facts };
    case 'removed':
      return { lines: ['The DAG no longer has this task.'], facts };
    default:
      return { lines: [`It was skipped${end}${because}.`], facts };
  }
}

function deadlineLine({ deadlineAt, now }: LocatedTaskInstance): string[] {
  return deadlineAt ? [`This try must end by ${at(deadlineAt)}, in ${until(deadlineAt, now)}.`] : [];
}

function withoutScheduler({ jobs }: TaskSituation): string[] {
  return aliveOf(jobs, SCHEDULER) > 0
    ? []
    : ['No scheduler is alive, so nothing moves. Start one: windhover scheduler.'];
}

function aliveOf(jobs: TaskSituation['jobs'], type: string): number {
  return jobs.find((job) => job.type === type)?.alive ?? 0;
}

function stateText(state: string): string {
  return state === 'none' ? 'not scheduled yet' : state.replaceAll('_', ' ');
}

function since(instant: Date | null, { now }: LocatedTaskInstance): string {
  return instant ? `${at(instant)} (${spanText(now.getTime() - instant.getTime())})` : 'an unknown time';
}

function until(instant: Date, now: Date): string {
  return spanText(instant.getTime() - now.getTime());
}

function at(instant: Date): string {
  return instant.toISOString();
}

function iso(instant: Date | null): string | null {
  return instant?.toISOString() ?? null;
}
