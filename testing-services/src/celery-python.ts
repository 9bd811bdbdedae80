import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { installDebianPackages } from './debian-packages.ts';

export interface CeleryPython {
  /** Runs `python3 <args>` to its end and answers what it printed. */
  run(args: readonly string[], options?: CeleryPythonOptions): Promise<string>;
  /** Starts `python3 <args>` as a group of its own. */
  spawn(args: readonly string[], options?: CeleryPythonOptions): ChildProcess;
}

export interface CeleryPythonOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: one minute. */
  readonly timeoutMs?: number;
}

/**
 * Debian's Python with Celery: `run(['-m', 'celery', …])`. Answers the reason where it cannot be had; never when `CI` is
 * set, there that is an error.
 */
export async function findCeleryPython(): Promise<CeleryPython | { readonly missing: string }> {
  const packages = ['celery', 'python3-redis'];
  const { missing } = await installDebianPackages(packages, ['celery']);
  if (missing !== null) {
    if (process.env.CI) throw new Error(`The tests need Python's Celery: ${missing}`);
    return { missing };
  }
  const settings = ({ cwd, env }: CeleryPythonOptions) => ({
    ...(cwd !== undefined && { cwd }),
    // Celery refuses to run as root without a word.
    env: { ...process.env, C_FORCE_ROOT: '1', PYTHONUNBUFFERED: '1', ...env },
  });
  return {
    async run(args, options = {}) {
      const { timeoutMs: timeout = 60_000 } = options;
      const { stdout } = await promisify(execFile)(PYTHON, args, { ...settings(options), timeout });
      return stdout;
    },
    spawn: (args, options = {}) =>
      spawn(PYTHON, args, { ...settings(options), detached: true, stdio: ['ignore', 'pipe', 'pipe'] }),
  };
}

/** Another Python may be first on the PATH, without Debian's packages. */
const PYTHON = '/usr/bin/python3';
