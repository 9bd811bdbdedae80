import { setMaxListeners } from 'node:events';
import type { LogLevel } from '@windhover/core';
import { captureOutput } from './capture-output.ts';
import { setLongTimeout } from './long-timeout.ts';
import { onStrayError } from './stray-errors.ts';

export interface LimitedOptions {
  readonly limitMs: number;
  /** What the code fails with when its time is up. */
  limitError(): unknown;
  /** Aborts when the worker is to end. Default: never. */
  readonly signal?: AbortSignal | undefined;
  /** Nothing else runs in this process meanwhile: errors that nobody caught fail the code. Default: false. */
  readonly ownsProcess?: boolean | undefined;
  /** Takes what the code prints, where it owns the process. Default: it is printed. */
  onOutput?(level: LogLevel, line: string): void;
}

export interface LimitedEnd<T> {
  /** `abandoned`: the worker is to end. */
  readonly outcome:
    | { readonly type: 'done'; readonly value: T }
    | { readonly type: 'failed'; readonly error: unknown }
    | { readonly type: 'abandoned' };
  /** The code may still be running, or an error passed by it: this process is no place for other code. */
  readonly isProcessSpoilt: boolean;
}

/** How long code may take to end when nobody waits for it any more. Within a second the process must be gone. */
export const ABANDON_GRACE_MS = 700;

/** Runs code that has a fixed time and nothing to kill, such as a callback. Never rejects. */
export async function runLimited<T>(
  code: (signal: AbortSignal) => Promise<T>,
  options: LimitedOptions,
): Promise<LimitedEnd<T>> {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  const interrupted = Promise.withResolvers<Interruption>();
  const interrupt = (type: Interruption['type'], error: unknown) => interrupted.resolve({ type, error });
  const releases = [
    setLongTimeout(options.limitMs, () => interrupt('limit', options.limitError())),
    onAbort(options.signal, (reason) => interrupt('shutdown', reason)),
    ...(options.ownsProcess ? [onStrayError((error) => interrupt('stray', error))] : []),
    ...(options.ownsProcess && options.onOutput ? [captureOutput(options.onOutput)] : []),
  ];
  try {
    const ended = settled(() => code(abort.signal));
    const first = await Promise.race([ended, interrupted.promise]);
    if (first.type === 'done' || first.type === 'failed') return { outcome: first, isProcessSpoilt: false };
    abort.abort(first.error);
    const isOver = await endsWithin(ABANDON_GRACE_MS, ended);
    const outcome = first.type === 'shutdown' ? ({ type: 'abandoned' } as const) : failure(first.error);
    return { outcome, isProcessSpoilt: !isOver || first.type === 'stray' };
  } finally {
    for (const release of releases) release();
  }
}

interface Interruption {
  readonly type: 'limit' | 'stray' | 'shutdown';
  readonly error: unknown;
}

async function settled<T>(run: () => Promise<T>): Promise<Exclude<LimitedEnd<T>['outcome'], { type: 'abandoned' }>> {
  try {
    return { type: 'done', value: await run() };
  } catch (error) {
    return failure(error);
  }
}

function failure(error: unknown): { readonly type: 'failed'; readonly error: unknown } {
  return { type: 'failed', error };
}

function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  const tell = () => listener(signal!.reason);
  if (signal?.aborted) tell();
  signal?.addEventListener('abort', tell);
  return () => signal?.removeEventListener('abort', tell);
}

async function endsWithin(ms: number, ended: Promise<unknown>): Promise<boolean> {
  const pause = Promise.withResolvers<false>();
  const timer = setTimeout(pause.resolve, ms, false);
  const isOver = await Promise.race([ended.then(() => true), pause.promise]);
  clearTimeout(timer);
  return isOver;
}
