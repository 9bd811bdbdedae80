import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Logger } from '@windhover/core';
import { moduleFile, userCodeEnvironment, userCodeExecArgv } from '../loader/user-code-process.ts';
import type { FileContent, ParseRequest, ParserMessage } from './parser-message.ts';
import { ParserStartError } from './parser-start-error.ts';

export interface ParserProcessOptions {
  readonly projectRoot: string;
  readonly log: Logger;
  readonly startTimeoutMs: number;
}

/** A child process that imports DAG files, one after another. Whatever a file does to it becomes that file's error. */
export class ParserProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<string>;
  private readonly stderrTail: string[] = [];
  private file: string | undefined;
  private received: (message: ParserMessage) => void = () => {};
  private isEnded = false;

  /** Rejects with `ParserStartError`: that is nobody's DAG file's fault. */
  static async start(options: ParserProcessOptions, signal: AbortSignal): Promise<ParserProcess> {
    const parser = new ParserProcess(options);
    const kill = () => parser.child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    const answer = await parser.nextMessage(options.startTimeoutMs);
    signal.removeEventListener('abort', kill);
    if (signal.aborted) kill();
    if (answer.type === 'message') return parser;
    await parser.stop();
    const reason =
      answer.type === 'timeout' ? `it was not ready after ${options.startTimeoutMs} ms` : `it ${answer.how}`;
    throw new ParserStartError(reason, parser.stderrTail.join('\n'));
  }

  private constructor({ projectRoot, log }: ParserProcessOptions) {
    this.child = fork(moduleFile('parse-dag-file', import.meta.url), [projectRoot], {
      cwd: projectRoot,
      execArgv: userCodeExecArgv(),
      env: userCodeEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child.on('message', (message) => this.received(message as ParserMessage));
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.isEnded = true;
        resolve(how);
      };
      this.child.once('exit', (code, signal) => end(signal ? `was ended by ${signal}` : `ended with code ${code}`));
      this.child.on('error', (error) => end(`could not be started: ${error.message}`));
    });
    this.forward('stdout', log.info);
    this.forward('stderr', log.warning);
  }

  /** False after a file has taken the process down with it. */
  get isUsable(): boolean {
    return !this.isEnded;
  }

  /** Never rejects. A file that does not come to an end costs the process. */
  async parse(file: string, timeoutMs: number): Promise<FileContent> {
    this.file = file;
    const request: ParseRequest = { type: 'parse', file };
    // Fails when the process has just ended; then `ended` tells.
    this.child.send(request, () => {});
    const answer = await this.nextMessage(timeoutMs);
    if (answer.type === 'message' && answer.message.type === 'parsed') return answer.message;
    await this.stop();
    return failed(
      file,
      answer.type === 'timeout'
        ? `Importing the file took longer than ${timeoutMs / 1_000} s and was stopped. Look for an endless loop or an ` +
            '`await` at the top level; let a task do what takes time.'
        : `The process that imported the file ${answer.type === 'ended' ? answer.how : 'gave no answer'}. ` +
            'A DAG file describes work and must leave its process alone; do this in a task.',
    );
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  private nextMessage(timeoutMs: number): Promise<Answer> {
    const message = new Promise<Answer>((resolve) => {
      this.received = (received) => resolve({ type: 'message', message: received });
    });
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<Answer>((resolve) => {
      timer = setTimeout(() => resolve({ type: 'timeout' }), timeoutMs);
    });
    const ended = this.ended.then((how): Answer => ({ type: 'ended', how }));
    return Promise.race([message, timeout, ended]).finally(() => clearTimeout(timer));
  }

  private forward(stream: 'stdout' | 'stderr', write: Logger['info']): void {
    const lines = createInterface({ input: this.child[stream]! });
    lines.on('line', (line) => {
      if (stream === 'stderr') this.stderrTail.splice(0, this.stderrTail.length - 19, line);
      write(line, { stream, ...(this.file === undefined ? {} : { dagFile: this.file }) });
    });
  }
}

type Answer =
  | { readonly type: 'message'; readonly message: ParserMessage }
  | { readonly type: 'timeout' }
  | { readonly type: 'ended'; readonly how: string };

function failed(file: string, message: string): FileContent {
  return { file, dags: [], importErrors: [{ file, line: null, message, stack: null }], notExported: [] };
}
