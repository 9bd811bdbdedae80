import type { Json, Logger, LogLevel } from '@windhover/core';
import type { Io } from '../io.ts';

/** What a server says: a line each, on standard error; as JSON where another program reads it (`--json`). */
export function serverLog(io: Io, options: { readonly isJson: boolean; readonly isVerbose: boolean }): Logger {
  const write = (level: LogLevel) => (message: string, fields?: Readonly<Record<string, Json>>) => {
    if (level === 'debug' && !options.isVerbose) return;
    const at = new Date().toISOString();
    if (options.isJson) return void io.stderr.write(`${JSON.stringify({ at, level, message, ...fields })}\n`);
    const more = fields ? ` ${JSON.stringify(fields)}` : '';
    io.stderr.write(`${at.slice(11, 23)} ${level.toUpperCase().padEnd(7)} ${message}${more}\n`);
  };
  return { debug: write('debug'), info: write('info'), warning: write('warning'), error: write('error') };
}
