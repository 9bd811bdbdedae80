#!/usr/bin/env node
import { processIo } from './io.ts';
import { run } from './program.ts';

// A reader that has seen enough (`windhover runs list | head`) closes the pipe; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const exitCode = await run(process.argv.slice(2), processIo());
// Not `process.exit`: output may still be on its way, and a server that was started goes on.
if (exitCode !== 0) process.exitCode = exitCode;
