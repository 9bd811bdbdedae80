export type { BackendAnswer, BackendSetup, ScriptedBackend } from './backend-script.ts';
export { ConformanceError, type ConformanceTest } from './conformance-test.ts';
export type { ExecutorSetup, WorkloadBehaviour, WorkloadOptions } from './executor-scene.ts';
export { InlineExecutor, type InlineExecutorOptions } from './inline-executor.ts';
export { MemoryLogStore } from './memory-log-store.ts';
export { MemorySecretsBackend, type SecretsContent } from './memory-secrets-backend.ts';
export { MemorySignalService } from './memory-signal-service.ts';
export { MemoryXComBackend } from './memory-xcom-backend.ts';
export { type OperatorDeferral, type OperatorRun, type RunOperatorOptions, runOperator } from './run-operator.ts';
export { type RunTriggerOptions, runTrigger, type TriggerClass, type TriggerEnd } from './run-trigger.ts';
export type { SignalServiceSetup } from './signal-scene.ts';
export { type ExecutorSuite, testExecutor } from './test-executor.ts';
export { TestHost, type TestHostOptions } from './test-host.ts';
export {
  type JobBackend,
  type JobOperatorOptions,
  type JobOperatorSuite,
  testJobOperator,
} from './test-job-operator.ts';
export { type LogStoreSetup, type LogStoreSuite, testLogStore } from './test-log-store.ts';
export { type SecretsBackendSetup, type SecretsBackendSuite, testSecretsBackend } from './test-secrets-backend.ts';
export { type SensorSuite, testSensor } from './test-sensor.ts';
export { type SignalServiceSuite, testSignalService } from './test-signal-service.ts';
export { type TriggerSuite, testTrigger } from './test-trigger.ts';
export { testXComBackend, type XComBackendSetup, type XComBackendSuite } from './test-xcom-backend.ts';
export { until } from './until.ts';
export { VirtualClock } from './virtual-clock.ts';
