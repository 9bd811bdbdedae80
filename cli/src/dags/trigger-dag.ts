import type { Json } from '@windhover/core';
import type { Dag, DagRun } from '../api-client/dags.ts';
import { path } from '../api-client/path.ts';
import { followRun, showEnd } from '../dag-runs/follow-run.ts';
import { EXIT } from '../exit-codes.ts';
import { shellWord } from '../output/format.ts';
import type { Session } from '../session.ts';

export interface TriggerOptions {
  readonly conf?: Readonly<Record<string, Json>>;
  readonly logicalDate?: string;
  readonly wait?: true;
}

/** `windhover dags trigger` */
export async function triggerDag(session: Session, dagId: string, options: TriggerOptions): Promise<void> {
  const { wait, ...request } = options;
  const run = await session.api.post<DagRun>(path`/dags/${dagId}/runs`, request);
  const { output } = session;
  output.line(`Triggered ${dagId}: run ${run.runId} is ${run.state}.`);
  const { isPaused } = await session.api.get<Dag>(path`/dags/${dagId}`);
  if (isPaused) output.notice(`${dagId} is paused: the run waits until: windhover dags unpause ${shellWord(dagId)}`);
  const words = `${shellWord(dagId)} ${shellWord(run.runId)}`;
  if (wait) return waitForRun(session, run, words);
  if (output.isJson) output.document(run);
  output.next(`windhover runs show ${words}`);
}

async function waitForRun(session: Session, run: DagRun, words: string): Promise<void> {
  const { output } = session;
  const ended = await session.io.interruptible((signal) => followRun(session, run, signal));
  if (ended === null) {
    output.notice(`Stopped waiting. The run goes on; see it with: windhover runs show ${words}`);
    session.exitCode = EXIT.interrupted;
    return;
  }
  if (ended.run.state === 'failed') session.exitCode = EXIT.failed;
  if (output.isJson) output.document({ ...ended.run, taskInstances: ended.tasks });
  else showEnd(session, ended);
}
