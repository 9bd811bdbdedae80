import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installDebianPackages } from './debian-packages.ts';
import { isAlive } from './is-alive.ts';
import { withMachineLock } from './machine-lock.ts';

export interface Radosgw {
  /** `http://127.0.0.1:PORT`, path style. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Ceph's S3 gateway with one OSD in memory, on loopback. It takes twenty seconds to start, so the whole machine shares
 * one: it runs beside the tests and ends by itself when no process that asked for it is left. Use buckets of your own.
 *
 * Answers the reason where it cannot be had; never when `CI` is set, there that is an error.
 */
export async function startRadosgw(): Promise<Radosgw | { readonly missing: string }> {
  const { missing } = await installDebianPackages(PACKAGES, PROGRAMS);
  if (missing !== null) {
    if (process.env.CI) throw new Error(`The S3 tests need radosgw: ${missing}`);
    return { missing };
  }
  return withMachineLock('radosgw', async () => {
    await mkdir(join(FOLDER, 'users'), { recursive: true });
    await writeFile(join(FOLDER, 'users', String(process.pid)), '');
    const running = await readState();
    return running ?? (await launch());
  });
}

export const FOLDER = join(tmpdir(), `windhover-radosgw-${process.getuid?.() ?? 0}`);

/** What the keeper writes when the gateway answers. */
export interface RadosgwState extends Radosgw {
  readonly keeperPid: number;
}

const PACKAGES = ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-mgr', 'ceph-common'];
const PROGRAMS = ['radosgw', 'radosgw-admin', 'ceph', 'ceph-mon', 'ceph-osd', 'ceph-authtool', 'monmaptool'];
const STATE_FILE = join(FOLDER, 'state.json');
const START_LIMIT_MS = 120_000;

async function readState(): Promise<Radosgw | null> {
  const text = await readFile(STATE_FILE, 'utf8').catch(() => null);
  if (text === null) return null;
  const { keeperPid, ...radosgw } = JSON.parse(text) as RadosgwState;
  return isAlive(keeperPid) ? radosgw : null;
}

async function launch(): Promise<Radosgw> {
  await rm(STATE_FILE, { force: true });
  // As a process of its own, because it outlives the test file that happened to come first.
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'radosgw-keeper.ts')], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  keeper.unref();
  const giveUpAt = Date.now() + START_LIMIT_MS;
  for (;;) {
    const state = await readState();
    if (state) return state;
    if (keeper.exitCode !== null || Date.now() > giveUpAt) {
      const log = await readFile(join(FOLDER, 'keeper.log'), 'utf8').catch(() => '');
      throw new Error(`radosgw did not start. ${log.slice(-2000)}`);
    }
    await sleep(100);
  }
}
