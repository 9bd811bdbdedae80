import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withMachineLock } from './machine-lock.ts';

/**
 * Installs Debian packages whose programs are missing: once, under a lock, and said aloud. Answers why it cannot,
 * where the machine is not Debian or we are not root; a test then skips with that reason.
 */
export async function installDebianPackages(
  packages: readonly string[],
  programs: readonly string[],
): Promise<{ readonly missing: string | null }> {
  if (programs.every(isOnPath)) return { missing: null };
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
    const names = programs.filter((program) => !isOnPath(program)).join(', ');
    return { missing: `${names} not found; as root on Debian it is installed by apt-get (${packages.join(' ')})` };
  }
  return withMachineLock('windhover-apt', async () => {
    if (programs.every(isOnPath)) return { missing: null };
    process.stderr.write(`Installing Debian packages for tests: ${packages.join(' ')}\n`);
    const install = () => apt('install', '--no-install-recommends', ...packages);
    // Most often the package lists are too old or were never fetched.
    const failure = (await install()) && ((await apt('update')) ?? (await install()));
    return { missing: failure && `apt-get install ${packages.join(' ')} failed: ${failure}` };
  });
}

/** Null, or the end of what it complained of. */
function apt(...args: string[]): Promise<string | null> {
  // RUNLEVEL keeps the packages from starting their services.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return new Promise((resolve) => {
    execFile('apt-get', ['-y', '-o', 'DPkg::Lock::Timeout=300', ...args], { env }, (error, _stdout, stderr) =>
      resolve(error && (stderr || error.message).slice(-500)),
    );
  });
}

function isOnPath(program: string): boolean {
  return `${process.env.PATH ?? ''}${delimiter}/usr/sbin`.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
