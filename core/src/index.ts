// Every public name of @windhover/core. `test/public-api.test.ts` pins this list.

export {
  type Classpath,
  formatClasspath,
  type PackageClasspath,
  type ProjectClasspath,
  parseClasspath,
} from './classpath/classpath.ts';
export { ClasspathError } from './classpath/classpath-error.ts';
export { ClasspathMismatchError } from './classpath/classpath-mismatch-error.ts';
export { ownClasspath } from './classpath/own-classpath.ts';
export { BaseHook, type ConnectionSource, type ConnectionTestResult } from './connection/base-hook.ts';
export { Connection, type ConnectionFields } from './connection/connection.ts';
export { ConnectionNotFoundError, connectionVariable } from './connection/connection-not-found-error.ts';
export { ConnectionUriError } from './connection/connection-uri-error.ts';
export type {
  Context,
  DataInterval,
  RunContext,
  RunStates,
  RunStatesQuery,
  TriggerContext,
  TriggerDagRunOptions,
  TriggeredDagRun,
  XComPullOptions,
  XComReader,
  XComWriter,
} from './context/context.ts';
export {
  Replay,
  type ReplayDeferral,
  type ReplayOptions,
  type ReplayPoint,
  type StepRecord,
} from './context/replay.ts';
export { StepMismatchError } from './context/step-mismatch-error.ts';
export {
  BaseBranchOperator,
  BaseShortCircuitOperator,
  type BranchChoice,
  branch,
  shortCircuit,
} from './dag/branch.ts';
export { Dag, type DagOptions, type Deadline, dag } from './dag/dag.ts';
export { DagCycleError } from './dag/dag-cycle-error.ts';
export { DagDefinitionError } from './dag/dag-definition-error.ts';
export { type TaskOwner, takeDagsMade } from './dag/dag-stack.ts';
export { DuplicateTaskIdError } from './dag/duplicate-task-id-error.ts';
export { type Connectable, chain, type Endpoint } from './dag/edges.ts';
export { InvalidIdError } from './dag/invalid-id-error.ts';
export { Output } from './dag/output.ts';
export { ParamError } from './dag/param-error.ts';
export { type Param, type ParamsInput, type ParamType, param, resolveParams } from './dag/params.ts';
export type { Schedule, ScheduleInput, SchedulePreset } from './dag/schedule.ts';
export { serializeDag } from './dag/serialize-dag.ts';
export type {
  JsonSchema,
  SerializedDag,
  SerializedDeadline,
  SerializedTask,
  SerializedTaskGroup,
  SerializedWatcher,
} from './dag/serialized-dag.ts';
export { serializedDagSchema } from './dag/serialized-dag-schema.ts';
export { FunctionOperator, type TaskFunction, type TaskOptions, task } from './dag/task.ts';
export { TaskGroup, taskGroup } from './dag/task-group.ts';
export { WaitForOperator, waitFor } from './dag/wait-for.ts';
export { type Watcher, type WatchOptions, watch } from './dag/watch.ts';
export {
  assertDagRunTransition,
  canDagRunBecome,
  DAG_RUN_STATES,
  DAG_RUN_TYPES,
  type DagRunState,
  type DagRunType,
  formatRunId,
  isDagRunFinished,
} from './dag-run/dag-run-state.ts';
export { type Duration, type DurationParts, type DurationUnit, durationMs } from './duration.ts';
export type { DagApi, ImportError, ParsedDagFile, PutDagFileAnswer } from './execution-api/dag-api.ts';
export type { RunStatesReader, RunStatesRequest, SerializedRunStates } from './execution-api/run-states.ts';
export { StaleEpochError } from './execution-api/stale-epoch-error.ts';
export type {
  CallbackHandOff,
  FinishReport,
  HeartbeatAnswer,
  SerializedDagRun,
  StartedCallback,
  StartedConnectionTest,
  StartedTask,
  TaskApi,
  TaskHandOff,
  TriggerDagRunRequest,
  WorkerIdentity,
  XComQuery,
} from './execution-api/task-api.ts';
export type {
  ClaimedTrigger,
  ListenSignalAnswer,
  ListenSignalRequest,
  SubmitAnswer,
  SubmittedEvent,
  TriggerApi,
  TriggerLease,
  TriggerOutcome,
  TriggerOwner,
  TriggerProgress,
  TriggerRelease,
  TriggerSyncAnswer,
  TriggerSyncRequest,
  TriggerTask,
} from './execution-api/trigger-api.ts';
export { BaseExecutor } from './executor/base-executor.ts';
export type { AdoptableWorkload, Executor, ExecutorEvent, ExecutorHost } from './executor/executor.ts';
export { ExecutorStoppedError } from './executor/executor-stopped-error.ts';
export {
  type CallbackWorkload,
  type TaskWorkload,
  type TestConnectionWorkload,
  taskWorkloadId,
  type Workload,
} from './executor/workload.ts';
export { InvalidDurationError } from './invalid-duration-error.ts';
export type { Json } from './json.ts';
export type { LogChunk, LogPage, LogReadOptions, LogStore, LogStream, UnaddressedLogChunk } from './log/log-store.ts';
export type { Logger, LogLevel, LogRecord } from './log/logger.ts';
export type {
  AliasedEntry,
  ClassEntry,
  ConnectionTypeEntry,
  HookEntry,
  ProviderManifest,
  TriggerEntry,
} from './manifest/provider-manifest.ts';
export { providerManifestSchema } from './manifest/provider-manifest-schema.ts';
export {
  BaseOperator,
  bindArgs,
  type DeferByNameOptions,
  type DeferOptions,
  type ResumeMethod,
  type TemplatedArgs,
} from './operator/base-operator.ts';
export { DeferralTimeoutError } from './operator/deferral-timeout-error.ts';
export {
  enterOperator,
  FIRST_ENTRY,
  type OperatorEntry,
  type TaskOutcome,
} from './operator/enter-operator.ts';
export { ExecutionTimeoutError } from './operator/execution-timeout-error.ts';
export { InvalidOptionError } from './operator/invalid-option-error.ts';
export { JobFailedError } from './operator/job-failed-error.ts';
export type {
  CallbackContext,
  DagCallback,
  DagCallbackContext,
  OperatorOptions,
  ResolvedOptions,
  TaskCallback,
  WeightRule,
} from './operator/operator-options.ts';
export { PrivateFieldError } from './operator/private-field-error.ts';
export { ResumeMethodError } from './operator/resume-method-error.ts';
export {
  type SerializedDeferral,
  type SerializedEvent,
  type SerializedResume,
  type SerializedTrigger,
  serializeTrigger,
} from './operator/serialized-deferral.ts';
export {
  type Dependency,
  SignalOperator,
  type SignalSpec,
  type SignalState,
  type WhenOptions,
} from './operator/signal-operator.ts';
export { SwallowedDeferralError } from './operator/swallowed-deferral-error.ts';
export { TaskFailed } from './operator/task-failed.ts';
export {
  type ResumePoint,
  TaskDeferred,
  TaskRescheduled,
  TaskSkipped,
  type TimeoutAction,
} from './operator/task-signals.ts';
export type { SecretsBackend } from './secrets/secrets-backend.ts';
export {
  BaseSensor,
  type ChecksBefore,
  type PokeResult,
  type SensorMode,
  type SensorOptions,
} from './sensor/base-sensor.ts';
export { SensorTimeoutError } from './sensor/sensor-timeout-error.ts';
export { SensorTrigger, type SensorTriggerKwargs } from './sensor/sensor-trigger.ts';
export { canonicalize } from './serde/canonicalize.ts';
export { DeserializationError } from './serde/deserialization-error.ts';
export { deserialize } from './serde/deserialize.ts';
export type { NotSerializable, Ser, Serializable, SerializableKwargs } from './serde/serializable.ts';
export { SerializationError } from './serde/serialization-error.ts';
export { serialize } from './serde/serialize.ts';
export {
  and,
  eq,
  evaluatePredicate,
  exists,
  gt,
  gte,
  lt,
  lte,
  ne,
  not,
  oneOf,
  or,
  type Predicate,
} from './signal/predicate.ts';
export {
  DEFAULT_NAMESPACE,
  type SendSignalOptions,
  type Signal,
  type SignalScope,
  type SignalVersion,
  taskStateSignalKey,
} from './signal/signal.ts';
export {
  type BusyPolicy,
  EMPTY_RULE_STATE,
  evaluateSignalRule,
  type FunctionPredicate,
  necessary,
  type SerializedSignalCondition,
  type SerializedSignalRule,
  type SignalAction,
  type SignalCondition,
  type SignalRule,
  type SignalRuleDecision,
  type SignalRuleState,
  signalName,
  strongestAction,
  sufficient,
} from './signal/signal-rule.ts';
export type {
  ListenSignalOptions,
  ListSignalsOptions,
  SignalHost,
  SignalListener,
  SignalService,
  SignalWatcher,
} from './signal/signal-service.ts';
export { InvalidTransitionError } from './task-instance/invalid-transition-error.ts';
export { type Failure, type RetryPolicy, retryDelayAfter } from './task-instance/retry-policy.ts';
export { formatTaskInstanceKey, type TaskInstanceKey } from './task-instance/task-instance-key.ts';
export {
  assertTransition,
  canBecome,
  isTerminal,
  statesBefore,
  TASK_INSTANCE_STATES,
  type TaskInstanceState,
} from './task-instance/task-instance-state.ts';
export {
  countUpstream,
  evaluateTriggerRule,
  TRIGGER_RULES,
  type TriggerRule,
  type TriggerRuleDecision,
  type UpstreamCounts,
} from './task-instance/trigger-rule.ts';
export { applyRendered, findTemplates, type RenderedValue, type RenderResult, render } from './template/render.ts';
export { type Rendered, Template, type Templated, template } from './template/template.ts';
export { TemplateError } from './template/template-error.ts';
export { BaseTrigger, type NotBefore } from './trigger/base-trigger.ts';
export { DateTimeTrigger } from './trigger/date-time-trigger.ts';
export { JobTrigger } from './trigger/job-trigger.ts';
export { nextWaitMs, type PollHost, type PollOptions, poll, pollIntervalMs } from './trigger/poll.ts';
export { PollBudgetError } from './trigger/poll-budget-error.ts';
export { PollTimeoutError } from './trigger/poll-timeout-error.ts';
export { TaskStartTrigger } from './trigger/task-start-trigger.ts';
export { TimeDeltaTrigger } from './trigger/time-delta-trigger.ts';
export { isTransientError, retryAfterMs } from './trigger/transient-error.ts';
export {
  TaskDeferredEvent,
  type TaskEndEvent,
  TaskFailedEvent,
  TaskSkippedEvent,
  TaskSuccessEvent,
  TriggerEvent,
  type TriggerEventOptions,
} from './trigger/trigger-event.ts';
export { TriggerNoEventError } from './trigger/trigger-no-event-error.ts';
export { outcomeOfError, outcomeOfEvent } from './trigger/trigger-outcome.ts';
export type {
  Checkpoint,
  ExitReason,
  KillReason,
  LoadedTask,
  TaskReference,
  TriggerScope,
} from './trigger/trigger-scope.ts';
export { VariableNotFoundError } from './variable/variable-not-found-error.ts';

export { type SerializedError, serializeError, WindhoverError } from './windhover-error.ts';
export { RETURN_VALUE, type XComBackend, type XComKey } from './xcom/xcom-backend.ts';
export { toXComValue, type XComValue } from './xcom/xcom-value.ts';
