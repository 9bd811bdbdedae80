import { open, rename, stat } from 'node:fs/promises';

const MAX_LOG_BYTES = 10_000_000;
const TAIL_LINES = 15;
const TAIL_BYTES = 8_192;

/** Begins a new log when the old one is large; one old log is kept. Only while no server writes to it. */
export async function rotateServerLog(logFile: string): Promise<void> {
  if ((await serverLogSize(logFile)) > MAX_LOG_BYTES) await rename(logFile, `${logFile}.1`);
}

export async function serverLogSize(logFile: string): Promise<number> {
  return (await stat(logFile).catch(() => null))?.size ?? 0;
}

/** The last lines that were written after the given position. */
export async function readServerLogTail(logFile: string, sinceByte: number): Promise<string> {
  const size = await serverLogSize(logFile);
  const from = Math.max(sinceByte, size - TAIL_BYTES);
  if (size <= from) return '';
  const file = await open(logFile, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  } finally {
    await file.close();
  }
}
