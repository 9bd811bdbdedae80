import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ApiUnreachableError } from './api-unreachable-error.ts';

export interface ServerAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string | null;
  /** Where the address was found, for messages. */
  readonly source: string;
}

export interface LocateServerOptions {
  /** `--url` and `--token` */
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** What `windhover standalone` leaves for the commands of its project. */
interface StandaloneFile {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

/** The command line goes before the environment, and both before the standalone server of the project. */
export function locateServer({ url, token, env, cwd }: LocateServerOptions): ServerAddress {
  const project = findProject(cwd) ?? cwd;
  const standalone = readStandalone(project);
  const given = url ?? (env.WINDHOVER_API_URL || undefined);
  const chosen = given ?? standalone?.url;
  if (chosen === undefined)
    throw new ApiUnreachableError(
      null,
      `No server is known: there is no --url, WINDHOVER_API_URL is not set, and ${join(project, STANDALONE)} does not exist.`,
    );
  const source =
    url !== undefined ? 'from --url' : given !== undefined ? 'from WINDHOVER_API_URL' : sourceOf(standalone!);
  const address = normalize(chosen);
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ''))
    throw new ApiUnreachableError(chosen, `"${chosen}" (${source}) is no address such as http://127.0.0.1:8793.`);
  const isStandalone = standalone !== null && address === normalize(standalone.url);
  return {
    url: address,
    // The token of the project's server goes to that server alone, whatever --url says.
    token: token ?? (env.WINDHOVER_API_TOKEN?.trim() || (isStandalone ? standalone.token : null)),
    source,
  };
}

/** The nearest folder upwards that has a `windhover.config.*` or a `.windhover`. */
export function findProject(cwd: string): string | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.windhover'))) return folder;
    if (existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('windhover.config.'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

const STANDALONE = join('.windhover', 'standalone.json');

function readStandalone(project: string): StandaloneFile | null {
  try {
    return JSON.parse(readFileSync(join(project, STANDALONE), 'utf8'));
  } catch {
    return null; // not there, or just being written: as good as not there
  }
}

function sourceOf({ pid }: StandaloneFile): string {
  return isAlive(pid)
    ? `from ${STANDALONE}, process ${pid}`
    : `from ${STANDALONE}, whose process ${pid} is not running any more`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** People copy the address with or without the path of the API. */
function normalize(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}
