import { StringDecoder } from 'node:string_decoder';
import type { LogLevel } from '@windhover/core';

/**
 * Takes what the code of this process prints, line by line, until the answered function is called. `console.*` keeps its
 * formatting and tells its level; other writes to stdout are `info`, to stderr `warning`. What a child process prints to
 * an inherited stdout does not come by here.
 */
export function captureOutput(write: (level: LogLevel, line: string) => void): () => void {
  let consoleLevel: LogLevel | null = null;
  const releases = [
    captureStream(process.stdout, (line) => write(consoleLevel ?? 'info', line)),
    captureStream(process.stderr, (line) => write(consoleLevel ?? 'warning', line)),
    ...CONSOLE_LEVELS.map(([method, level]) =>
      replaceMethod(globalThis.console, method, (original) => (...args) => {
        // `trace` calls `error`, `table` calls `log`: the outermost one decides.
        const before = consoleLevel;
        consoleLevel ??= level;
        try {
          return original(...args);
        } finally {
          consoleLevel = before;
        }
      }),
    ),
  ];
  return () => {
    for (const release of releases) release();
  };
}

const CONSOLE_LEVELS: readonly (readonly ['debug' | 'log' | 'info' | 'warn' | 'error' | 'trace', LogLevel])[] = [
  ['debug', 'debug'],
  ['log', 'info'],
  ['info', 'info'],
  ['warn', 'warning'],
  ['error', 'error'],
  ['trace', 'error'],
];
/** A line without an end is cut here, so that a progress bar does not grow without limit. */
const MAX_LINE = 1024 * 1024;

function captureStream(stream: NodeJS.WriteStream, onLine: (line: string) => void): () => void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (rest.length > MAX_LINE) onLine(rest);
    if (rest.length > MAX_LINE) rest = '';
  };
  const release = replaceMethod(stream, 'write', () => (chunk, encoding, callback) => {
    take(typeof chunk === 'string' ? chunk : decoder.write(chunk as Buffer));
    const done = typeof encoding === 'function' ? encoding : callback;
    if (typeof done === 'function') process.nextTick(done);
    return true;
  });
  return () => {
    release();
    rest += decoder.end();
    if (rest !== '') onLine(rest);
  };
}

function replaceMethod(
  owner: object,
  name: string,
  make: (original: (...args: unknown[]) => unknown) => (...args: unknown[]) => unknown,
): () => void {
  const methods = owner as Record<string, (...args: unknown[]) => unknown>;
  const original = methods[name]!;
  const replacement = make(original.bind(owner));
  methods[name] = replacement;
  return () => {
    // Somebody may have replaced it in turn; what they put there calls ours, which then stays in place.
    if (methods[name] === replacement) methods[name] = original;
  };
}
