import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@windhover/core';
import { backoffMs } from './backoff.ts';
import type { FileContent } from './parser-message.ts';
import { ParserProcess } from './parser-process.ts';

export interface ParseBatch {
  readonly projectRoot: string;
  /** In this order. */
  readonly files: readonly string[];
  /** For each file. */
  readonly parseTimeoutMs: number;
  readonly log: Logger;
  /** Ends the batch at once, with all its processes. */
  readonly signal: AbortSignal;
  onParsed(content: FileContent): void;
}

/** Measured on two cores, 1,000 files: one process 1.9 s, two 1.6 s, three 1.8 s, four 1.7 s. */
const PROCESSES = 2;
/** Below this many files a second process costs more than it saves. */
const FILES_FOR_TWO = 4;
/** A file that takes longer is waiting or stuck, and another process goes on with the others, */
const SLOW_MS = 1_000;
/** but no more than these, should they all be computing. */
const PROCESSES_AT_MOST = 6;
const START_TIMEOUT_MS = 30_000;

/**
 * Imports files in fresh processes, which share the files between them. Several files in one process, because a process
 * costs 140 ms and a file 2; never longer than one batch, so that no module is older than the batch.
 */
export async function parseDagFiles(batch: ParseBatch): Promise<void> {
  const queue = [...batch.files];
  const lanes: Lanes = { brisk: 0, all: new Set() };
  addLanes(lanes, queue, batch);
  while (lanes.all.size > 0) await Promise.race(lanes.all);
}

interface Lanes {
  /** How many are not stuck in a slow file. */
  brisk: number;
  readonly all: Set<Promise<void>>;
}

function addLanes(lanes: Lanes, queue: string[], batch: ParseBatch): void {
  const wanted = queue.length < FILES_FOR_TWO ? 1 : PROCESSES;
  while (queue.length > 0 && lanes.brisk < wanted && lanes.all.size < PROCESSES_AT_MOST) {
    lanes.brisk++;
    const lane = parseInTurn(lanes, queue, batch).finally(() => {
      lanes.brisk--;
      lanes.all.delete(lane);
    });
    lanes.all.add(lane);
  }
}

async function parseInTurn(lanes: Lanes, queue: string[], batch: ParseBatch): Promise<void> {
  const { signal, onParsed } = batch;
  let parser: ParserProcess | undefined;
  const kill = () => parser?.stop();
  signal.addEventListener('abort', kill);
  try {
    while (queue.length > 0 && !signal.aborted && lanes.brisk <= PROCESSES) {
      parser ??= await startParser(batch);
      const file = queue.shift();
      if (file === undefined || signal.aborted) return;
      const content = await parseOne(parser, file, lanes, queue, batch);
      // What a killed process answers is no news about the file.
      if (signal.aborted) return;
      onParsed(content);
      if (!parser.isUsable) parser = undefined;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', kill);
    await parser?.stop();
  }
}

async function parseOne(
  parser: ParserProcess,
  file: string,
  lanes: Lanes,
  queue: string[],
  batch: ParseBatch,
): Promise<FileContent> {
  let isSlow = false;
  const timer = setTimeout(() => {
    isSlow = true;
    lanes.brisk--;
    if (!batch.signal.aborted) addLanes(lanes, queue, batch);
  }, SLOW_MS);
  const content = await parser.parse(file, batch.parseTimeoutMs);
  clearTimeout(timer);
  if (isSlow) lanes.brisk++;
  return content;
}

async function startParser({ projectRoot, log, signal }: ParseBatch): Promise<ParserProcess> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ParserProcess.start({ projectRoot, log, startTimeoutMs: START_TIMEOUT_MS }, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.error(String(error));
      await sleep(backoffMs(attempt), undefined, { signal });
    }
  }
}
