import { userCodeEnvironment, userCodeExecArgv } from '@windhover/worker';

/**
 * Makes this process one that may load users' code: tsx is there, so that enums, decorators and imports without an
 * extension work as on a worker, and the platform's secrets are not.
 */
export async function prepareForUserCode(): Promise<void> {
  const allowed = userCodeEnvironment();
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(allowed, name)) delete process.env[name];
  // `--import <tsx>`, only later: what was imported before stays as it is.
  const tsx = userCodeExecArgv().at(-1)!;
  await import(tsx);
}
