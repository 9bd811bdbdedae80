import { isDagRunFinished, isTerminal } from '@windhover/core';
import type { DagRunDetails } from '../api-client/dags.ts';
import { path } from '../api-client/path.ts';
import type { TaskInstance } from '../api-client/tasks.ts';
import { poll } from '../follow/poll.ts';
import { count, durationBetween, formatDuration, shellWord, stateColour } from '../output/format.ts';
import type { LiveLine } from '../output/live-line.ts';
import { plainText } from '../output/plain-text.ts';
import type { Session } from '../session.ts';

export interface FollowedRun {
  readonly run: DagRunDetails;
  readonly tasks: readonly TaskInstance[];
}

/** Prints what its tasks do until the run has ended. Null where the signal was aborted before. */
export async function followRun(
  { api, output }: Session,
  { dagId, runId }: { readonly dagId: string; readonly runId: string },
  signal: AbortSignal,
): Promise<FollowedRun | null> {
  const read = async (): Promise<FollowedRun> => ({
    // The run before its tasks: when it has ended, theirs are the last states.
    run: await api.get<DagRunDetails>(path`/dags/${dagId}/runs/${runId}`, {}, { signal }),
    tasks: await api.all<TaskInstance>(path`/dags/${dagId}/runs/${runId}/tasks`, {}, { signal }),
  });
  using live = output.isLive ? output.liveLine() : null;
  const shown = new Map<string, string>();
  const startedAt = performance.now();
  for await (const followed of poll(read, output, signal)) {
    for (const task of followed.tasks) {
      const key = `${task.taskId} ${task.mapIndex} ${task.attempt}`;
      if (task.state === shown.get(key) || task.state === 'none' || task.state === 'scheduled') continue;
      shown.set(key, task.state);
      print(live, taskLine(output, task), output);
    }
    live?.update(() => `${summary(followed)} · ${formatDuration(performance.now() - startedAt)}`);
    if (isDagRunFinished(followed.run.state)) return followed;
  }
  return null;
}

/** How it ended, and what to look at. */
export function showEnd({ output }: Session, { run, tasks }: FollowedRun): void {
  const took = formatDuration(durationBetween(run.startedAt, run.endedAt));
  const verb = run.state === 'success' ? 'succeeded' : 'failed';
  const name = `Run ${run.runId} of ${run.dagId}`;
  output.line(
    `${name} ${output.paint(stateColour(run.state), verb)}${took && ` after ${took}`}${run.reason ? `: ${plainText(run.reason)}` : '.'}`,
  );
  const failed = tasks.filter(({ state }) => state === 'failed');
  const words = `${shellWord(run.dagId)} ${shellWord(run.runId)}`;
  output.next(
    ...failed.slice(0, 3).map(({ taskId }) => `windhover tasks logs ${words} ${shellWord(taskId)}`),
    ...(failed.length === 0 ? [`windhover runs show ${words}`] : [`windhover runs clear ${words} --only-failed`]),
  );
}

function print(live: LiveLine | null, line: string, output: Session['output']): void {
  if (live) live.print(line);
  else output.line(line);
}

function taskLine({ paint }: Session['output'], task: TaskInstance): string {
  const { taskId, mapIndex, state, tryNumber, runningMs, error } = task;
  const name = mapIndex < 0 ? taskId : `${taskId}[${mapIndex}]`;
  const facts = [
    tryNumber > 1 ? `try ${tryNumber}` : '',
    isTerminal(state) ? formatDuration(runningMs) : '',
    error === null || state === 'success' ? '' : plainText(`${error.name}: ${error.message}`),
  ].filter((fact) => fact !== '');
  return `  ${name}: ${paint(stateColour(state), state)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
}

function summary({ run, tasks }: FollowedRun): string {
  const finished = tasks.filter(({ state }) => isTerminal(state)).length;
  const states = ['running', 'deferred', 'queued', 'up_for_retry', 'failed'] as const;
  const parts = states
    .map((state) => [state, tasks.filter((task) => task.state === state).length] as const)
    .filter(([, number]) => number > 0)
    .map(([state, number]) => `${number} ${state}`);
  return [run.state, `${finished} of ${count(tasks.length, 'task')} finished`, ...parts].join(' · ');
}
