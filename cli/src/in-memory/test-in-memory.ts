import { loadConfig } from '../config/load-config.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Io, Sink } from '../io.ts';
import { Output } from '../output/output.ts';
import { EventPrinter } from './event-printer.ts';
import { findDag } from './find-dag.ts';
import { ownProcess } from './own-process.ts';
import { type InMemoryRunOptions, runInMemory } from './run-in-memory.ts';
import type { Report, RunEnded } from './test-event.ts';

export interface TestRequest
  extends Pick<InMemoryRunOptions, 'taskId' | 'logicalDate' | 'conf' | 'xcoms' | 'skipsRetryDelay' | 'enter'> {
  readonly dagId: string;
  /** Default: the DAG is looked for in all DAG files. */
  readonly file?: string | undefined;
  readonly isJson: boolean;
}

/** What `dags test` and `tasks test` do. */
export async function testInMemory(request: TestRequest, io: Io): Promise<ExitCode> {
  const output = new Output({ ...io, stdout: uncaptured(io.stdout) }, request);
  const printer = new EventPrinter({ output, retrySkip: retrySkip(request) });
  const report: Report = (event) => printer.print(event);
  const release = ownProcess((level, message) =>
    report({ at: new Date().toISOString(), type: 'log', taskId: null, source: 'process', level, message }),
  );
  try {
    const ended = await io.interruptible((signal) => run(request, io, report, signal));
    if (request.taskId !== undefined) showResult(output, ended);
    return { success: EXIT.ok, failed: EXIT.failed, stopped: EXIT.interrupted }[ended.state];
  } finally {
    release();
  }
}

async function run(request: TestRequest, io: Io, report: Report, signal: AbortSignal): Promise<RunEnded> {
  const { projectRoot, dags, xcom } = await loadConfig({ projectRoot: io.cwd, env: io.env });
  const { dag, file } = await findDag({ ...request, projectRoot, dagsFolder: dags.folder });
  return runInMemory({
    ...request,
    projectRoot,
    dag,
    dagFile: file,
    env: io.env,
    // A backend would take what is larger; here the memory does.
    xcomLimitBytes: xcom.backend ? Number.POSITIVE_INFINITY : xcom.maxSizeBytes,
    report,
    signal,
  });
}

function retrySkip({ enter, skipsRetryDelay }: TestRequest): string | null {
  if (skipsRetryDelay) return null;
  return enter ? 'press Enter to skip the wait, or use --skip-retry-delay' : 'skip the wait with --skip-retry-delay';
}

function showResult(output: Output, { tasks: [task] }: RunEnded): void {
  if (task && 'result' in task) output.line(`Result: ${JSON.stringify(task.result, null, 2)}`);
}

/** While a task runs, what the process prints is the task's log. What is said about the task must go past that. */
function uncaptured(sink: Sink): Sink {
  return { ...sinkFacts(sink), write: sink.write.bind(sink) };
}

function sinkFacts({ isTTY, columns }: Sink): Omit<Sink, 'write'> {
  return { ...(isTTY !== undefined && { isTTY }), ...(columns !== undefined && { columns }) };
}
