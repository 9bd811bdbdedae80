import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, connect as openSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServerProcessOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** On loopback; the server is ready when it takes connections. */
  readonly port: number;
}

/** A server with all its children as one group. It ends with the process that started it, however that ends. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #options: ServerProcessOptions;
  #output = '';

  private constructor(options: ServerProcessOptions) {
    this.#options = options;
    this.#child = spawn('/bin/sh', ['-c', KEEPER, 'sh', options.program, ...options.args], {
      detached: true,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-4_000);
      });
    this.#child.stdin!.on('error', () => {});
  }

  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const server = new ServerProcess(options);
    await server.#untilReady();
    return server;
  }

  /** Without warning, as when a machine goes down. */
  async kill(): Promise<void> {
    if (this.#isOver) return;
    const over = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin!.destroy();
    await over;
  }

  get #isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async #untilReady(): Promise<void> {
    const { program, port } = this.#options;
    const giveUpAt = Date.now() + START_LIMIT_MS;
    while (!(await takesConnections(port))) {
      if (this.#isOver || Date.now() > giveUpAt) {
        await this.kill();
        throw new Error(`${program} did not start. It said last:\n${this.#output}`);
      }
      await sleep(25);
    }
  }
}

/** Until the next one asks for a port, this one is free. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const START_LIMIT_MS = 60_000;

/** The shell waits for the end of its input, which comes when our process is gone, or for the server's own end. */
const KEEPER = '{ "$@" </dev/null; kill -KILL 0; } & read -r _; kill -KILL 0';

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = openSocket({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
