import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseServerUser, findBarrier, type ServerUser } from './server-user.ts';

/** Where a project's PostgreSQL lives. */
export interface PostgresHome {
  readonly directory: string;
  readonly dataDirectory: string;
  /** Null when the path is too long for a socket, or on Windows. */
  readonly socketDirectory: string | null;
  readonly logFile: string;
  /** Whom the server runs as. Null: as ourselves. */
  readonly user: ServerUser | null;
}

interface HomePointer {
  readonly directory: string;
  /** The data root that the pointer was written in; another one, when the project was moved or copied. */
  readonly dataRoot: string;
}

const SHARED_ROOT = '/var/lib/windhover';
const POINTER_FILE = 'postgres-home.json';

/** What the kernel allows for the path of a socket: 104 bytes on macOS with the final NUL, 108 on Linux. */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Finds, or chooses, the home of a data root, and makes its directories. It is in the project. Only when root would run
 * the server as a user who cannot get there (a 0700 home directory) it is in /var/lib/windhover, and a pointer in the
 * project names it.
 */
export async function locatePostgresHome(dataRoot: string): Promise<PostgresHome> {
  const directory = await chooseDirectory(dataRoot);
  const dataDirectory = join(directory, 'data');
  const user = await chooseServerUser(dataDirectory);
  await makeDirectory(directory, user ? 0o755 : 0o700);
  const socketDirectory = chooseSocketDirectory(directory);
  if (socketDirectory) {
    await makeDirectory(socketDirectory, 0o700);
    if (user) await chown(socketDirectory, user.uid, user.gid);
  }
  return { directory, dataDirectory, socketDirectory, logFile: join(dataRoot, 'postgres.log'), user };
}

async function chooseDirectory(dataRoot: string): Promise<string> {
  const pointed = await followPointer(dataRoot);
  if (pointed) return pointed;
  const inProject = join(dataRoot, 'postgres');
  const dataDirectory = join(inProject, 'data');
  if (await exists(dataDirectory)) return inProject;
  const user = await chooseServerUser(dataDirectory);
  if (!user || (await findBarrier(user, dataRoot)) === null) return inProject;
  const shared = await chooseSharedDirectory(dataRoot);
  await writePointer(dataRoot, shared);
  return shared;
}

/**
 * A moved project keeps its database. A copied one, recognized by the original that still points to the same place, gets
 * its own: two projects in one database would run each other's tasks.
 */
async function followPointer(dataRoot: string): Promise<string | null> {
  const pointer = await readPointer(dataRoot);
  if (!pointer || !(await exists(pointer.directory))) return null;
  if (pointer.dataRoot === dataRoot) return pointer.directory;
  const original = await readPointer(pointer.dataRoot);
  if (original?.directory === pointer.directory) return null;
  await writePointer(dataRoot, pointer.directory);
  return pointer.directory;
}

/**
 * Data that is already there without a pointer to it belongs to a project that was moved away, or whose `.windhover` was
 * deleted to begin anew. Neither should come back to life here.
 */
async function chooseSharedDirectory(dataRoot: string): Promise<string> {
  const hash = createHash('sha256').update(dataRoot).digest('hex').slice(0, 16);
  await makeDirectory(SHARED_ROOT, 0o755);
  for (let count = 1; ; count++) {
    const directory = join(SHARED_ROOT, count === 1 ? hash : `${hash}-${count}`);
    if (!(await exists(join(directory, 'data')))) return directory;
  }
}

function chooseSocketDirectory(directory: string): string | null {
  if (process.platform === 'win32') return null;
  const socketDirectory = join(directory, 'socket');
  return Buffer.byteLength(join(socketDirectory, '.s.PGSQL.65535')) <= MAX_SOCKET_PATH_BYTES ? socketDirectory : null;
}

async function readPointer(dataRoot: string): Promise<HomePointer | null> {
  try {
    return JSON.parse(await readFile(join(dataRoot, POINTER_FILE), 'utf8')) as HomePointer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function writePointer(dataRoot: string, directory: string): Promise<void> {
  const path = join(dataRoot, POINTER_FILE);
  const pointer: HomePointer = { directory, dataRoot };
  await writeFile(`${path}.new`, `${JSON.stringify(pointer, null, 2)}\n`);
  await rename(`${path}.new`, path);
}

/** With just this mode, whatever the umask. A directory that somebody else made is taken as it is. */
async function makeDirectory(path: string, mode: number): Promise<void> {
  const isNew = (await mkdir(path, { recursive: true })) !== undefined;
  if (isNew || process.getuid?.() === 0) await chmod(path, mode);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
