import type { DagRunState, TaskInstanceState } from '@windhover/core';
import type { Colour } from './output.ts';

/** `2026-01-01T00:00:00Z`: as the API has it, without milliseconds that are zero. It can be pasted into a command. */
export function formatDate(date: string | null): string {
  return date === null ? '' : date.replace('.000Z', 'Z');
}

/** `85ms`, `4.2s`, `1m 05s`, `3h 20m` */
export function formatDuration(ms: number | null): string {
  if (ms === null) return '';
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 1_440
    ? `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`
    : `${Math.floor(minutes / 1_440)}d ${two(Math.floor(minutes / 60) % 24)}h`;
}

/** Between two instants of the API; of something unfinished there is none. */
export function durationBetween(startedAt: string | null, endedAt: string | null): number | null {
  return startedAt === null || endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt);
}

/** `3 tasks`, `1 task` */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** As one types it into a shell: with quotes where they are needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const STATE_COLOURS: Readonly<Record<DagRunState | TaskInstanceState, Colour | null>> = {
  none: 'gray',
  scheduled: 'gray',
  queued: 'gray',
  running: 'cyan',
  deferred: 'magenta',
  up_for_retry: 'yellow',
  up_for_reschedule: 'yellow',
  success: 'green',
  failed: 'red',
  skipped: 'blue',
  upstream_failed: 'red',
  stopped: 'yellow',
  removed: 'gray',
};

export function stateColour(state: DagRunState | TaskInstanceState): Colour | null {
  return STATE_COLOURS[state] ?? null;
}
