// Every public name of @windhover/worker. `test/public-api.test.ts` pins this list.

export { CallbackRemovedError } from './callback/callback-removed-error.ts';
export { CallbackTimeoutError } from './callback/callback-timeout-error.ts';
export { type CallbackEnd, type RunCallbackOptions, runCallback } from './callback/run-callback.ts';
export {
  type ConnectionTestEnd,
  type RunConnectionTestOptions,
  runConnectionTest,
} from './connection-test/run-connection-test.ts';
export { dagFilesOf } from './dag-processor/dag-files.ts';
export { DagProcessor, type DagProcessorOptions } from './dag-processor/dag-processor.ts';
export { DagsFolderError } from './dag-processor/dags-folder-error.ts';
export { connectDagApi } from './http/connect-dag-api.ts';
export { connectTaskApi, type HttpTaskApi } from './http/connect-task-api.ts';
export { connectTriggerApi } from './http/connect-trigger-api.ts';
export { ExecutionApiAnswerError } from './http/execution-api-answer-error.ts';
export { ExecutionApiClient } from './http/execution-api-client.ts';
export { ExecutionApiUnreachableError } from './http/execution-api-unreachable-error.ts';
export { connect } from './ipc/connect.ts';
export type { IpcChannel } from './ipc/ipc-channel.ts';
export { IpcClosedError } from './ipc/ipc-closed-error.ts';
export { reviveError } from './ipc/revive-error.ts';
export { serve } from './ipc/serve.ts';
export { type ClassLoader, type ClassLoaderOptions, createClassLoader } from './loader/class-loader.ts';
export { ClasspathExportError } from './loader/classpath-export-error.ts';
export { ClasspathFileError } from './loader/classpath-file-error.ts';
export { ClasspathImportError } from './loader/classpath-import-error.ts';
export { ClasspathKindError } from './loader/classpath-kind-error.ts';
export { ClasspathOutsideError } from './loader/classpath-outside-error.ts';
export { ClasspathPackageError } from './loader/classpath-package-error.ts';
export { ClasspathUndeclaredError } from './loader/classpath-undeclared-error.ts';
export { codeHash } from './loader/code-hash.ts';
export { readConnectionTypes } from './loader/connection-types.ts';
export { DagImportError } from './loader/dag-import-error.ts';
export { type DagFileProblem, type LoadedDagFile, loadDagFile } from './loader/load-dag-file.ts';
export { type DagAddress, dagVersionHash, loadDag, loadTask, type TaskAddress } from './loader/load-task.ts';
export type { ErrorLocation } from './loader/locate-error.ts';
export { TaskRemovedError, type TaskRemovedFacts } from './loader/task-removed-error.ts';
export { userCodeEnvironment, userCodeExecArgv } from './loader/user-code-process.ts';
export { CodeWatcher } from './pool/code-watcher.ts';
export { WorkerPool, type WorkerPoolOptions } from './pool/worker-pool.ts';
export { captureOutput } from './task/capture-output.ts';
export type { XComBackendSettings } from './task/lazy-xcom-backend.ts';
export { type RunTaskOptions, runTask, type TaskEnd } from './task/run-task.ts';
export { onStrayError } from './task/stray-errors.ts';
export { TaskAbortedError } from './task/task-aborted-error.ts';
export { WorkloadWithdrawnError } from './task/workload-withdrawn-error.ts';
export { XComBackendMissingError } from './task/xcom-backend-missing-error.ts';
export { DEFAULT_XCOM_LIMIT_BYTES, type XComStoreOptions } from './task/xcom-store.ts';
export { XComTooLargeError } from './task/xcom-too-large-error.ts';
export { currentFrame, type TriggerFrame } from './triggerer/trigger-frame.ts';
export type { TriggerHost } from './triggerer/trigger-host.ts';
export { TriggerRunner, type TriggerRunnerOptions } from './triggerer/trigger-runner.ts';
export { TriggerRunnerLostError } from './triggerer/trigger-runner-lost-error.ts';
export { TriggerStoppedError } from './triggerer/trigger-stopped-error.ts';
export { TriggerTaskError } from './triggerer/trigger-task-error.ts';
export { Triggerer, type TriggererOptions } from './triggerer/triggerer.ts';
