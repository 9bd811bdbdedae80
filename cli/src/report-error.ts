import { WindhoverError } from '@windhover/core';
import { CommanderError } from 'commander';
import { ApiError } from './api-client/api-error.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Session } from './session.ts';

/** Says what went wrong, on standard error, and answers the exit code. */
export function reportError(error: unknown, { output }: Session): ExitCode {
  // Commander has said it already; help that was asked for ends this way, too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const exitCode = exitCodeOf(error);
  if (output.isJson) {
    output.notice(JSON.stringify({ error: factsOf(error) }, null, 2));
    return exitCode;
  }
  output.notice(textOf(error));
  const hint = error instanceof ApiError ? hintFor(error) : null;
  if (hint !== null) output.notice(hint);
  return exitCode;
}

/** Errors that are made here; for those of the server its status decides. */
const EXIT_BY_CODE: Readonly<Record<string, ExitCode>> = {
  E_API_ANSWER: EXIT.unreachable,
  E_API_UNREACHABLE: EXIT.unreachable,
  E_CONFIG: EXIT.usage,
  E_CONFIG_FILE: EXIT.usage,
  E_CONNECTION_EXISTS: EXIT.conflict,
  E_DAG_NOT_IN_PROJECT: EXIT.notFound,
  E_DATABASE: EXIT.unreachable,
  E_PLUGIN: EXIT.usage,
  E_PORT_TAKEN: EXIT.conflict,
  E_SECRET_KEYS: EXIT.usage,
  E_SERVER_SETUP: EXIT.usage,
  E_SETTING_NOT_FOUND: EXIT.notFound,
  E_TASK_NOT_IN_DAG: EXIT.notFound,
};

const EXIT_BY_STATUS: Readonly<Record<number, ExitCode>> = {
  400: EXIT.usage,
  401: EXIT.refused,
  403: EXIT.refused,
  404: EXIT.notFound,
  409: EXIT.conflict,
  413: EXIT.usage,
  422: EXIT.usage,
};

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof ApiError) return EXIT_BY_STATUS[error.status] ?? EXIT.failed;
  return (WindhoverError.isWindhoverError(error) ? EXIT_BY_CODE[error.code] : undefined) ?? EXIT.failed;
}

function textOf(error: unknown): string {
  if (WindhoverError.isWindhoverError(error)) return `error [${error.code}]: ${error.message}`;
  // No error of ours, so a mistake of ours: the stack is what one reports.
  return `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

function factsOf(error: unknown): object {
  if (error instanceof ApiError) return { ...error.problem, code: error.code, message: error.message };
  if (WindhoverError.isWindhoverError(error)) return { code: error.code, message: error.message };
  return { message: String(error) };
}

/** What the server cannot know: how a token is passed here. Its other messages say themselves what to do. */
function hintFor({ status }: ApiError): string | null {
  if (status === 401) return 'Pass a token with --token or WINDHOVER_API_TOKEN. Make one with: windhover tokens create';
  if (status === 403) return 'Make a token for the API with: windhover tokens create';
  return null;
}
