import type { TaskAttempt, TaskExplanation, TaskInstance } from '../api-client/tasks.ts';
import { formatDate, formatDuration, stateColour } from '../output/format.ts';
import { plainText } from '../output/plain-text.ts';
import type { Session } from '../session.ts';
import { type TaskName, taskPath, taskWords } from './task-name.ts';

/** `windhover tasks show` */
export async function showTask({ api, output }: Session, name: TaskName): Promise<void> {
  const task = await api.get<TaskInstance>(taskPath(name));
  const attempts = await api.all<TaskAttempt>(`${taskPath(name)}/attempts`);
  if (output.isJson) return output.document({ ...task, attempts });
  output.facts({
    dag: task.dagId,
    run: task.runId,
    task: task.taskId,
    state: output.paint(stateColour(task.state), task.state),
    requested: task.requestedAction,
    error: task.error && plainText(`${task.error.name}: ${task.error.message}`),
    try: `${task.tryNumber} of ${task.maxTries}`,
    attempt: String(task.attempt),
    operator: task.operatorName,
    pool: task.pool,
    queue: task.queue,
    executor: task.executor,
    host: task.hostname && `${task.hostname}${task.pid === null ? '' : `, process ${task.pid}`}`,
    scheduled: formatDate(task.scheduledAt),
    queued: formatDate(task.queuedAt),
    started: formatDate(task.startedAt),
    'deferred since': formatDate(task.deferredSince),
    'resumes at': formatDate(task.resumeAt),
    deadline: formatDate(task.deadlineAt),
    ended: formatDate(task.endedAt),
    'in queue': formatDuration(task.queuedMs || null),
    ran: formatDuration(task.runningMs || null),
    waited: formatDuration(task.deferredMs || null),
  });
  if (attempts.length > 0) {
    output.line();
    output.table(attempts, {
      columns: [
        { title: 'ATTEMPT', value: ({ attempt }) => attempt, align: 'right' },
        { title: 'TRY', value: ({ tryNumber }) => tryNumber, align: 'right' },
        { title: 'STATE', value: ({ state }) => state, colour: ({ state }) => stateColour(state) },
        { title: 'STARTED', value: ({ startedAt }) => formatDate(startedAt), isFlexible: true },
        { title: 'RAN', value: ({ runningMs }) => formatDuration(runningMs || null), align: 'right' },
        { title: 'WAITED', value: ({ deferredMs }) => formatDuration(deferredMs || null), align: 'right' },
        { title: 'REASON', value: ({ reason, error }) => reason ?? error?.message ?? null, isFlexible: true },
      ],
      empty: '',
    });
  }
  output.next(`windhover tasks logs ${taskWords(name)}`, `windhover tasks explain ${taskWords(name)}`);
}

/** `windhover tasks explain` */
export async function explainTask({ api, output }: Session, name: TaskName): Promise<void> {
  const explanation = await api.get<TaskExplanation>(`${taskPath(name)}/explain`);
  output.answer(explanation, ({ state, lines }) => {
    output.line(`${name.taskId} is ${output.paint(stateColour(state), state)}.`);
    for (const line of lines) output.line(plainText(line));
  });
}
