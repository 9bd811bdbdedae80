// Starts Ceph's S3 gateway and keeps it while somebody uses it. Run as a process by radosgw.ts.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from './is-alive.ts';
import { withMachineLock } from './machine-lock.ts';
import { FOLDER, type RadosgwState } from './radosgw.ts';

/** The next test file comes soon after the last one, and the start is dear. */
const IDLE_LIMIT_MS = 30_000;
const ACCESS_KEY_ID = 'AKTEST';
const SECRET_ACCESS_KEY = 'SKTEST';
const PIDS_FILE = 'pids';

const daemons: ChildProcess[] = [];
await removeAbandonedClusters();
const home = await mkdtemp(join(FOLDER, 'cluster-'));
try {
  const endpoint = await startCluster();
  const state: RadosgwState = {
    endpoint,
    accessKeyId: ACCESS_KEY_ID,
    secretAccessKey: SECRET_ACCESS_KEY,
    keeperPid: process.pid,
  };
  await writeFile(join(home, 'state.json'), JSON.stringify(state));
  await rename(join(home, 'state.json'), join(FOLDER, 'state.json'));
  await untilUnused();
} catch (error) {
  appendFileSync(join(FOLDER, 'keeper.log'), `${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
} finally {
  await rm(join(FOLDER, 'state.json'), { force: true });
  for (const daemon of daemons) daemon.kill('SIGKILL');
  await rm(home, { recursive: true, force: true });
}

/** Monitor, storage in memory, gateway, user: in this order, each in the foreground as a child of this process. */
async function startCluster(): Promise<string> {
  const [gatewayPort, messenger2, messenger1] = await freePorts(3);
  const fsid = randomUUID();
  const addresses = `[v2:127.0.0.1:${messenger2},v1:127.0.0.1:${messenger1}]`;
  await Promise.all(['mon', 'osd', 'run'].map((folder) => mkdir(join(home, folder))));
  await writeFile(join(home, 'ceph.conf'), configuration(fsid, addresses, gatewayPort!));

  const keyring = join(home, 'keyring');
  await ceph('ceph-authtool', '--create-keyring', keyring, '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *');
  const everything = ['mon', 'osd', 'mgr'].flatMap((part) => ['--cap', part, 'allow *']);
  for (const name of ['client.admin', 'client.rgw'])
    await ceph('ceph-authtool', keyring, '--gen-key', '-n', name, ...everything);
  const osdRights = ['--cap', 'mon', 'allow profile osd', '--cap', 'osd', 'allow *'];
  await ceph('ceph-authtool', keyring, '--gen-key', '-n', 'osd.0', ...osdRights);

  const map = join(home, 'monmap');
  await ceph('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', addresses, map);
  await ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring);
  daemon('ceph-mon', '-f', '-i', 'a', '--keyring', keyring);
  const osdId = randomUUID();
  await ceph('ceph', 'osd', 'new', osdId);
  await ceph('ceph', 'auth', 'import', '-i', keyring);
  await ceph('ceph', 'osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=localhost');
  await ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osdId);
  daemon('ceph-osd', '-f', '-i', '0');
  while (!(await ceph('ceph', 'osd', 'stat')).includes('1 up')) await sleep(200);
  daemon('radosgw', '-f', '-n', 'client.rgw');
  const endpoint = `http://127.0.0.1:${gatewayPort}`;
  while (!(await answers(endpoint))) await sleep(200);
  const keys = ['--access-key', ACCESS_KEY_ID, '--secret-key', SECRET_ACCESS_KEY];
  await ceph('radosgw-admin', 'user', 'create', '--uid=test', '--display-name=test', ...keys);
  return endpoint;
}

function configuration(fsid: string, addresses: string, port: number): string {
  return `[global]
fsid = ${fsid}
mon initial members = a
mon host = ${addresses}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
public network = 127.0.0.0/8
ms bind ipv6 = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 2147483648
log file = ${home}/$name.log
pid file = ${home}/run/$name.pid
admin socket = ${home}/run/$name.asok
run dir = ${home}/run
keyring = ${home}/keyring
[mon]
mon data = ${home}/mon
mon data avail crit = 1
[osd]
osd data = ${home}/osd
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw dns name =
rgw thread pool size = 32
`;
}

async function ceph(program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, CEPH_CONF: join(home, 'ceph.conf') };
  return (await promisify(execFile)(program, args, { env, timeout: 60_000 })).stdout;
}

function daemon(program: string, ...args: string[]): void {
  const output = openSync(join(home, `${program}.out`), 'a');
  const env = { ...process.env, CEPH_CONF: join(home, 'ceph.conf') };
  const child = spawn(program, args, { env, stdio: ['ignore', output, output] });
  daemons.push(child);
  appendFileSync(join(home, PIDS_FILE), `${child.pid} ${program}\n`);
}

/** A keeper that was killed leaves its daemons. */
async function removeAbandonedClusters(): Promise<void> {
  for (const name of await readdir(FOLDER)) {
    if (!name.startsWith('cluster-')) continue;
    const lines = (await readFile(join(FOLDER, name, PIDS_FILE), 'utf8').catch(() => '')).split('\n').filter(Boolean);
    for (const [pid = '', program = ''] of lines.map((line) => line.split(' '))) {
      // The number may belong to another process by now.
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (command.startsWith(`${program}\0`)) process.kill(Number(pid), 'SIGKILL');
    }
    await rm(join(FOLDER, name), { recursive: true, force: true });
  }
}

async function answers(endpoint: string): Promise<boolean> {
  const dead = daemons.find(({ exitCode }) => exitCode !== null);
  if (dead) throw new Error(`${dead.spawnfile} ended with ${dead.exitCode}`);
  return fetch(endpoint).then(
    () => true,
    () => false,
  );
}

/** Returns when nobody has used it for a while, and nobody can find it any more. */
async function untilUnused(): Promise<void> {
  for (;;) {
    for (let usedAt = Date.now(); Date.now() - usedAt < IDLE_LIMIT_MS; await sleep(1_000))
      if (await isUsed()) usedAt = Date.now();
    // Under the lock of those who ask, so that none is given a gateway that is about to end.
    const isOver = await withMachineLock('radosgw', async () => {
      if (await isUsed()) return false;
      await rm(join(FOLDER, 'state.json'), { force: true });
      return true;
    });
    if (isOver) return;
  }
}

/** Those who asked have left a file with their process id. */
async function isUsed(): Promise<boolean> {
  const users = join(FOLDER, 'users');
  const names = await readdir(users);
  const gone = names.filter((name) => !isAlive(Number(name)));
  await Promise.all(gone.map((name) => rm(join(users, name), { force: true })));
  return gone.length < names.length;
}

/** Held together while they are chosen, so that they differ. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const listening = servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  await Promise.all(listening);
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
