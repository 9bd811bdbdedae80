import type { LogLevel, SerializedError } from '@windhover/core';
import { count, formatDate, formatDuration, stateColour } from '../output/format.ts';
import type { Colour, Output } from '../output/output.ts';
import type { RunEnded, TestEvent, TestedTask } from './test-event.ts';

export interface EventPrinterOptions {
  readonly output: Output;
  /** How the wait for a retry can be left out; null where it is. */
  readonly retrySkip: string | null;
}

/** Prints what happens, as it happens: a line of JSON for programs, else a line with time and task for people. */
export class EventPrinter {
  readonly #output: Output;
  readonly #retrySkip: string | null;
  #startedAt = '';
  #width = 0;

  constructor({ output, retrySkip }: EventPrinterOptions) {
    this.#output = output;
    this.#retrySkip = retrySkip;
  }

  print(event: TestEvent): void {
    if (this.#output.isJson) this.#output.record(event);
    else this.#show(event);
  }

  #show(event: TestEvent): void {
    if (event.type === 'runStarted') this.#begin(event);
    else if (event.type === 'runEnded') this.#summary(event);
    else this.#lines(event, ...this.#describe(event));
  }

  #begin({ at, dagId, file, runId, taskIds }: Extract<TestEvent, { type: 'runStarted' }>): void {
    this.#startedAt = at;
    this.#width = Math.min(WIDEST, Math.max(0, ...taskIds.map(({ length }) => length)));
    this.#output.line(`DAG ${dagId} (${file}), run ${runId}, ${count(taskIds.length, 'task')}`);
  }

  #lines({ at, taskId }: TaskEvent, text: string, colour: Colour | null = null): void {
    const { paint } = this.#output;
    const prefix = `${paint('dim', at.slice(11, 23))}  ${(taskId ?? '').padEnd(this.#width)}`;
    for (const line of text.split('\n')) this.#output.line(`${prefix}  ${paint(colour, line)}`);
  }

  #describe(event: TaskEvent): [text: string, colour?: Colour | null] {
    switch (event.type) {
      case 'log':
        return [logLines(event), LEVELS[event.level].colour];
      case 'taskStarted':
        return [event.resumedIn === null ? `started${ofTries(event)}` : `resumed in ${event.resumedIn}`];
      case 'taskDeferred':
        return [deferral(event), 'magenta'];
      case 'taskWoken':
        return ['its trigger has fired'];
      case 'taskRescheduled':
        return [`looks again at ${instant(event.resumeAt, event.at)}`, 'yellow'];
      case 'taskRetrying':
        return [this.#retry(event), 'yellow'];
      case 'taskEnded':
        return [ending(event), stateColour(event.state)];
      case 'note':
        return [event.message, 'cyan'];
    }
  }

  #retry({ error, nextTry, maxTries, resumeAt, at }: Extract<TestEvent, { type: 'taskRetrying' }>): string {
    const waitMs = Date.parse(resumeAt) - Date.parse(at);
    const wait = this.#retrySkip === null ? 'now' : `in ${formatDuration(waitMs)} (${this.#retrySkip})`;
    return `failed: ${messageOf(error)}\ntry ${nextTry} of ${maxTries} ${wait}`;
  }

  #summary(ended: RunEnded & { readonly at: string }): void {
    const { paint } = this.#output;
    this.#output.line();
    this.#output.table<TestedTask>(ended.tasks, {
      empty: 'The DAG has no tasks.',
      columns: [
        { title: 'TASK', value: ({ taskId }) => taskId },
        { title: 'STATE', value: ({ state }) => state, colour: ({ state }) => stateColour(state) },
        { title: 'TRIES', value: ({ tries }) => tries, align: 'right' },
        {
          title: 'DURATION',
          value: ({ tries, runningMs }) => (tries ? formatDuration(runningMs) : ''),
          align: 'right',
        },
        { title: 'WAITED', value: ({ deferredMs }) => (deferredMs ? formatDuration(deferredMs) : ''), align: 'right' },
      ],
    });
    const tookMs = Date.parse(ended.at) - Date.parse(this.#startedAt);
    const state = paint(ended.state === 'stopped' ? 'yellow' : stateColour(ended.state), ended.state);
    this.#output.line(`\n${ended.dagId}: ${state} after ${formatDuration(tookMs)} (${ended.reason})`);
  }
}

type TaskEvent = Exclude<TestEvent, { type: 'runStarted' | 'runEnded' }>;

/** Longer ids stand out of their column. */
const WIDEST = 32;

const LEVELS: Readonly<Record<LogLevel, { readonly prefix: string; readonly colour: Colour | null }>> = {
  debug: { prefix: 'DEBUG ', colour: 'dim' },
  info: { prefix: '', colour: null },
  warning: { prefix: 'WARNING ', colour: 'yellow' },
  error: { prefix: 'ERROR ', colour: 'red' },
};

/** What code has written stands behind a bar. */
function logLines({ source, level, message, fields }: Extract<TestEvent, { type: 'log' }>): string {
  const origin = source === 'trigger' || source === 'callback' ? `[${source}] ` : '';
  const text = `${origin}${LEVELS[level].prefix}${message}${fields ? ` ${JSON.stringify(fields)}` : ''}`;
  return text.replace(/^/gm, '| ');
}

function ofTries({ tryNumber, maxTries }: { tryNumber: number; maxTries: number }): string {
  return maxTries > 1 ? `, try ${tryNumber} of ${maxTries}` : '';
}

function deferral({ trigger, notBefore, timeoutAt, at }: Extract<TestEvent, { type: 'taskDeferred' }>): string {
  return [
    `deferred to ${trigger}`,
    ...(notBefore === null ? [] : [`until ${instant(notBefore, at)}`]),
    ...(timeoutAt === null ? [] : [`at most until ${instant(timeoutAt, at)}`]),
  ].join(', ');
}

function ending({ state, reason, error }: Extract<TestEvent, { type: 'taskEnded' }>): string {
  if (state === 'failed') return `failed: ${messageOf(error)}`;
  return reason === state ? state : `${state}: ${reason}`;
}

function messageOf(error: SerializedError | null): string {
  return error ? `${error.name}: ${error.message}` : 'no reason was given';
}

function instant(at: string, now: string): string {
  const leftMs = Date.parse(at) - Date.parse(now);
  return `${formatDate(at)}${leftMs > 0 ? ` (in ${formatDuration(leftMs)})` : ''}`;
}
