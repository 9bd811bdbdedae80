import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** True in this repository, where packages find each other's sources by the condition `development`. */
const RUNS_FROM_SOURCE = import.meta.url.endsWith('.ts');

/** Kept from users' code: only the platform holds them. */
const SECRET_VARIABLES = ['WINDHOVER_SECRET_KEYS', 'WINDHOVER_DATABASE_URL'];

/**
 * Arguments of `node` for a process that loads users' code. tsx is this package's own, whatever the project has, so that
 * enums, decorators and imports without an extension work the same everywhere.
 */
export function userCodeExecArgv(): string[] {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const conditions = new Set([...conditionsOf(process.execArgv), ...(RUNS_FROM_SOURCE ? ['development'] : [])]);
  return [...[...conditions].map((condition) => `--conditions=${condition}`), '--import', tsx];
}

/** The environment for such a process. */
export function userCodeEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET_VARIABLES.includes(name)));
}

/** The file of a module beside the caller: `.ts` in this repository, `.js` where it is installed. */
export function moduleFile(name: string, callerUrl: string): string {
  return fileURLToPath(new URL(`./${name}${RUNS_FROM_SOURCE ? '.ts' : '.js'}`, callerUrl));
}

function conditionsOf(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((argument, index) => {
    if (argument === '-C' || argument === '--conditions') return execArgv[index + 1] ?? [];
    return /^(?:--conditions|-C)=(.+)$/.exec(argument)?.[1] ?? [];
  });
}
