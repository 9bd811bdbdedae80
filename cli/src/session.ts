import { ApiClient } from './api-client/api-client.ts';
import { locateServer } from './api-client/locate-server.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';
import { Output } from './output/output.ts';

export interface GlobalOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** One call of `windhover`: what its commands share. */
export class Session {
  readonly io: Io;
  /** What the process ends with, unless an error says otherwise. */
  exitCode: ExitCode = EXIT.ok;
  #options: GlobalOptions = {};
  #output: Output | null = null;
  #api: ApiClient | null = null;

  constructor(io: Io) {
    this.io = io;
  }

  /** When the command line has been read, before the command runs. */
  configure(options: GlobalOptions): void {
    this.#options = options;
  }

  get output(): Output {
    this.#output ??= new Output(this.io, { isJson: this.#options.json === true });
    return this.#output;
  }

  /** Looks for the server when a command first needs one: `config list` and `completion` do not. */
  get api(): ApiClient {
    const { url, token } = this.#options;
    this.#api ??= new ApiClient(locateServer({ url, token, env: this.io.env, cwd: this.io.cwd }));
    return this.#api;
  }
}
