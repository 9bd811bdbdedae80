// The entry of a child process that runs triggers for its triggerer.
import { writeSync } from 'node:fs';
import { type ClaimedTrigger, serializeError } from '@windhover/core';
import { connect } from '../ipc/connect.ts';
import type { IpcChannel } from '../ipc/ipc-channel.ts';
import { serve } from '../ipc/serve.ts';
import { captureOutput } from '../task/capture-output.ts';
import { exitWithParent } from '../task/exit-with-parent.ts';
import { ABANDON_GRACE_MS } from '../task/run-limited.ts';
import { onStrayError } from '../task/stray-errors.ts';
import { endsWithin } from './ends-within.ts';
import type { DroppedTrigger, RunnerHostApi, RunnerProcessApi, RunnerProcessSettings } from './runner-process-api.ts';
import { currentFrame } from './trigger-frame.ts';
import { TriggerRunner } from './trigger-runner.ts';

class RunnerProcess implements RunnerProcessApi {
  readonly #runner: TriggerRunner;
  #clockOffsetMs: number;

  constructor(settings: RunnerProcessSettings, host: RunnerHostApi) {
    this.#clockOffsetMs = settings.clockOffsetMs;
    this.#runner = new TriggerRunner({
      projectRoot: settings.projectRoot,
      host,
      now: () => new Date(Date.now() + this.#clockOffsetMs),
    });
  }

  async start(claimed: readonly ClaimedTrigger[]): Promise<void> {
    for (const each of claimed) this.#runner.start(each);
  }

  async drop(dropped: readonly DroppedTrigger[]): Promise<void> {
    await Promise.all(dropped.map((each) => this.#runner.drop(each, each.reason)));
  }

  async setClock(offsetMs: number): Promise<void> {
    this.#clockOffsetMs = offsetMs;
  }

  async retire(): Promise<void> {
    await this.#runner.stop();
    exit(0);
  }

  /** Nobody renews the leases any more: somebody else will have these triggers soon. */
  async abandon(): Promise<void> {
    await endsWithin(ABANDON_GRACE_MS, this.#runner.stop('leaseLost'));
    exit(1);
  }
}

/** The frame tells whose it was. Without one nobody knows what is broken: the triggerer starts a new process. */
function onStray(error: unknown): void {
  const frame = currentFrame();
  if (frame) {
    frame.fail(error);
    return;
  }
  const { stack, name, message } = serializeError(error);
  writeSync(process.stderr.fd, `An error that nobody caught ends this process: ${stack ?? `${name}: ${message}`}\n`);
  exit(1);
}

const settings = JSON.parse(process.argv[2]!) as RunnerProcessSettings;
const exit = process.exit.bind(process);
// Taken from `process`: a library that finds `process.send` greets its parent, and the triggerer is not meant.
const send = process.send!.bind(process) as IpcChannel['send'];
Object.defineProperty(process, 'send', { value: undefined, configurable: true, writable: true });
const channel: IpcChannel = {
  get connected() {
    return process.connected;
  },
  send,
  on: (event: string, listener: (message: unknown) => void) => process.on(event as 'message', listener),
};
const host = connect<RunnerHostApi>(channel);
const runnerProcess = new RunnerProcess(settings, host);
serve<RunnerProcessApi>(channel, runnerProcess);
process.on('disconnect', () => void runnerProcess.abandon());
// Whoever wants it to end asks the triggerer, which hands its triggers back first.
process.on('SIGTERM', () => {});
process.on('SIGINT', () => {});
onStrayError(onStray);
captureOutput((level, line) => {
  const frame = currentFrame();
  if (frame) frame.write(level, line);
  else host.printed(level, line).catch(() => {});
});
// One trigger must not end all others.
process.exit = (code) => {
  const error = new Error(`process.exit(${code ?? ''}) was called in a trigger. Throw an error to fail it.`);
  const frame = currentFrame();
  if (!frame) exit(code);
  frame?.fail(error);
  throw error;
};
exitWithParent();
await host.ready();
