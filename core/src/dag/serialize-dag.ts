import { durationMs } from '../duration.ts';
import type { BaseOperator } from '../operator/base-operator.ts';
import { InvalidOptionError } from '../operator/invalid-option-error.ts';
import { serializeTrigger } from '../operator/serialized-deferral.ts';
import { serializeSignalRule } from '../operator/signal-operator.ts';
import { BaseSensor } from '../sensor/base-sensor.ts';
import { serialize } from '../serde/serialize.ts';
import { DEFAULT_NAMESPACE } from '../signal/signal.ts';
import type { Dag, Deadline } from './dag.ts';
import type { SerializedDag, SerializedDeadline, SerializedTask } from './serialized-dag.ts';

/** The plain form of a DAG. Equal DAGs give equal data, so that its canonical text can be hashed into a version. */
export function serializeDag(dag: Dag): SerializedDag {
  const { options } = dag;
  return {
    formatVersion: 1,
    dagId: dag.dagId,
    schedule: dag.schedule,
    startDate: options.startDate?.toISOString() ?? null,
    endDate: options.endDate?.toISOString() ?? null,
    catchup: options.catchup ?? false,
    maxActiveRuns: options.maxActiveRuns ?? 16,
    maxActiveTasks: options.maxActiveTasks ?? 16,
    dagRunTimeoutMs: options.dagRunTimeout === undefined ? null : durationMs(options.dagRunTimeout),
    maxConsecutiveFailedRuns: options.maxConsecutiveFailedRuns ?? 0,
    failFast: options.failFast ?? false,
    isPausedUponCreation: options.isPausedUponCreation ?? false,
    params: dag.params,
    startOn: (options.startOn ?? []).map((rule) => dataOnly(dag.dagId, serializeSignalRule({ rule, action: 'START' }))),
    deadlines: (options.deadlines ?? []).map(serializeDeadline),
    callbacks: (['onFailure', 'onSuccess'] as const).filter((name) => options[name]),
    tags: options.tags ?? [],
    description: options.description ?? null,
    doc: options.doc ?? null,
    owner: options.owner ?? null,
    tasks: dag.topologicalOrder().map((taskId) => serializeTask(dag, dag.tasks.get(taskId)!)),
    taskGroups: [...dag.groups.values()].map(({ groupId, parent }) => ({
      groupId,
      parentGroupId: parent?.groupId ?? null,
    })),
    watchers: dag.watchers.map(({ trigger, ...watcher }) => ({ ...watcher, trigger: serializeTrigger(trigger) })),
  };
}

function serializeTask(dag: Dag, task: BaseOperator<any, any>): SerializedTask {
  return {
    ...task.options,
    executorConfig: serialize(
      task.options.executorConfig,
      `executorConfig of task "${task.taskId}"`,
    ) as SerializedTask['executorConfig'],
    taskId: task.taskId,
    operatorName: task.constructor.name,
    taskGroupId: dag.groupOfTask.get(task.taskId)?.groupId ?? null,
    upstreamTaskIds: [...task.upstreamTaskIds].sort(),
    callbacks: (['onFailure', 'onSuccess', 'onRetry'] as const).filter((name) => task.callbacks[name]),
    signals: [...task.signals].map(({ key, namespace = DEFAULT_NAMESPACE }) => ({ key, namespace })),
    signalRules: task.signalRules(),
    hasSignalCode: task.hasSignalCode,
    sensor: BaseSensor.isInstance(task) ? task.sensorSettings() : null,
  };
}

function serializeDeadline({ reference, interval }: Deadline): SerializedDeadline {
  return {
    reference: reference instanceof Date ? { at: reference.toISOString() } : reference,
    intervalMs: durationMs(interval),
  };
}

/** Rules of a DAG start runs, before there is a task whose worker could decide; so they are data only. */
function dataOnly<Rule extends ReturnType<typeof serializeSignalRule>>(dagId: string, rule: Rule): Rule {
  if (rule.conditions.some(({ predicate }) => predicate?.op === 'function')) {
    throw new InvalidOptionError(
      `DAG "${dagId}"`,
      'startOn',
      'its rules take data predicates (eq, gt, and …), not functions',
    );
  }
  return rule;
}
