import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { DagApi, Logger } from '@windhover/core';
import { type ProjectScan, scanProject } from '../loader/scan-project.ts';
import { DagFileSender } from './dag-file-sender.ts';
import { dagFilesOf } from './dag-files.ts';
import { DagsFolderError } from './dags-folder-error.ts';
import { DirectoryWatchers } from './directory-watchers.ts';
import { parseDagFiles } from './parse-dag-files.ts';
import type { FileContent } from './parser-message.ts';
import { type DagFileState, settleDagFiles } from './settle-dag-files.ts';

export interface DagProcessorOptions {
  readonly projectRoot: string;
  readonly dagApi: DagApi;
  readonly log: Logger;
  /** Inside the project. Default: `dags`. */
  readonly dagsFolder?: string;
  /** How long the import of one file may take. Default: 30 s. */
  readonly parseTimeoutMs?: number;
  /** Changes are watched for; the scan finds what the watch missed. Default: 30 s. */
  readonly scanIntervalMs?: number;
}

/** Editors write a file in several steps, and a checkout many files: they are taken together. */
const DEBOUNCE_MS = 50;
/** But a stream of changes is not waited out. */
const DEBOUNCE_AT_MOST_MS = 300;

/**
 * Keeps the platform informed of a project's DAG files: what they hold, what is wrong with them, which are gone. It
 * imports nothing itself; that happens in child processes.
 *
 * ```ts
 * const processor = new DagProcessor({ projectRoot, dagApi, log });
 * processor.start();
 * await processor.whenIdle();
 * await processor.stop();
 * ```
 */
export class DagProcessor {
  private readonly projectRoot: string;
  private readonly dagsFolder: string;
  private readonly parseTimeoutMs: number;
  private readonly scanIntervalMs: number;
  private readonly log: Logger;
  private readonly sender: DagFileSender;
  private readonly watchers: DirectoryWatchers;
  private readonly stopping = new AbortController();
  private readonly states = new Map<string, DagFileState>();
  private readonly idleWaiters: (() => void)[] = [];
  private batch: { readonly codeHash: string; readonly abort: AbortController; readonly done: Promise<void> } | null =
    null;
  private lastScan: ProjectScan | null = null;
  private batches = 0;
  private isBatchRunning = false;
  private isMissingFolderTold = false;
  private scanning: Promise<void> | null = null;
  private isScanWanted = false;
  private netTimer: NodeJS.Timeout | undefined;
  private debounceTimer: NodeJS.Timeout | undefined;
  private firstChangeAt = 0;

  constructor(options: DagProcessorOptions) {
    this.projectRoot = resolve(options.projectRoot);
    this.dagsFolder = folderInside(this.projectRoot, options.dagsFolder ?? 'dags');
    this.parseTimeoutMs = options.parseTimeoutMs ?? 30_000;
    this.scanIntervalMs = options.scanIntervalMs ?? 30_000;
    this.log = options.log;
    this.sender = new DagFileSender(options.dagApi, options.log, () => this.tellIdle());
    this.watchers = new DirectoryWatchers(
      this.projectRoot,
      () => this.scanSoon(),
      (directory, error) => this.log.warning(`Cannot watch ${directory || '.'}, only scan it: ${error.message}`),
    );
  }

  start(): void {
    this.netTimer = setInterval(() => this.scan(), this.scanIntervalMs);
    this.scan();
  }

  /** Ends at once, with all child processes, whatever a file is doing. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.netTimer);
    clearTimeout(this.debounceTimer);
    this.watchers.close();
    this.sender.stop();
    this.batch?.abort.abort();
    await this.scanning;
    await this.batch?.done;
    for (const resolveWaiter of this.idleWaiters.splice(0)) resolveWaiter();
  }

  /** Resolves when every file that is known of has been parsed and the platform has been told; also after `stop`. */
  async whenIdle(): Promise<void> {
    if (this.isIdle || this.stopping.signal.aborted) return;
    await new Promise<void>((resolveWaiter) => {
      this.idleWaiters.push(resolveWaiter);
    });
  }

  private get isIdle(): boolean {
    return (
      this.lastScan !== null &&
      this.scanning === null &&
      this.debounceTimer === undefined &&
      !this.isBatchRunning &&
      this.sender.isIdle
    );
  }

  private tellIdle(): void {
    if (this.isIdle) for (const resolveWaiter of this.idleWaiters.splice(0)) resolveWaiter();
  }

  private scanSoon(): void {
    if (this.stopping.signal.aborted) return;
    const now = performance.now();
    if (this.debounceTimer === undefined) this.firstChangeAt = now;
    clearTimeout(this.debounceTimer);
    const waitMs = Math.max(0, Math.min(DEBOUNCE_MS, this.firstChangeAt + DEBOUNCE_AT_MOST_MS - now));
    this.debounceTimer = setTimeout(() => {
      this.debounceTimer = undefined;
      this.scan();
    }, waitMs);
  }

  /** One scan at a time; a wish that comes meanwhile is granted afterwards. */
  private scan(): void {
    this.isScanWanted = true;
    this.scanning ??= this.scanWhileWanted().finally(() => {
      this.scanning = null;
      this.tellIdle();
    });
  }

  private async scanWhileWanted(): Promise<void> {
    while (this.isScanWanted && !this.stopping.signal.aborted) {
      this.isScanWanted = false;
      try {
        const scan = await scanProject(this.projectRoot);
        if (this.stopping.signal.aborted) return;
        if (this.watchers.follow(scan.directories)) this.isScanWanted = true;
        await this.apply(scan);
      } catch (error) {
        this.log.error(`Cannot look through ${this.projectRoot}: ${String(error)}`);
      }
    }
  }

  private async apply(scan: ProjectScan): Promise<void> {
    if (!this.hasDagsFolder(scan)) return;
    const before = this.lastScan;
    this.lastScan = scan;
    const files = dagFilesOf(scan.files.keys(), this.dagsFolder);
    const existing = new Set(files);
    for (const file of [...this.states.keys()]) if (!existing.has(file)) this.states.delete(file);
    this.sender.wantList(files);
    if (scan.codeHash === this.batch?.codeHash) return;
    await this.replaceBatch(scan, this.orderByUrgency(files, scan, before));
  }

  /** A folder that is not mounted yet, or just being replaced, does not mean that all DAGs are gone. */
  private hasDagsFolder({ directories }: ProjectScan): boolean {
    const isThere = directories.has(this.dagsFolder);
    if (!isThere && !this.isMissingFolderTold) {
      this.log.warning(`There is no folder ${this.dagsFolder} in ${this.projectRoot}. Put DAG files there.`);
    }
    this.isMissingFolderTold = !isThere;
    return isThere;
  }

  /** What was edited first; then what has waited longest for its turn, so that endless changes starve nobody. */
  private orderByUrgency(files: readonly string[], scan: ProjectScan, before: ProjectScan | null): string[] {
    const isEdited = (file: string) => !this.states.has(file) || scan.files.get(file) !== before?.files.get(file);
    const turn = new Map([...this.states.keys()].map((file, index) => [file, index]));
    const rank = (file: string) => (isEdited(file) ? -1 : turn.get(file)!);
    return [...files].sort((a, b) => rank(a) - rank(b));
  }

  /**
   * Every file is parsed anew when any code of the project changes: which of them import the changed module is not
   * known. The processes of the former batch have old modules in memory, so they end.
   */
  private async replaceBatch({ codeHash }: ProjectScan, files: readonly string[]): Promise<void> {
    this.batch?.abort.abort();
    await this.batch?.done;
    if (this.stopping.signal.aborted) return;
    const number = ++this.batches;
    const abort = new AbortController();
    const startedAt = performance.now();
    this.isBatchRunning = true;
    const done = parseDagFiles({
      projectRoot: this.projectRoot,
      files,
      parseTimeoutMs: this.parseTimeoutMs,
      log: this.log,
      signal: abort.signal,
      onParsed: (content) => this.keep(content, codeHash, number),
    })
      .catch((error: unknown) => this.log.error(`Parsing DAG files failed: ${String(error)}`))
      .then(() => {
        this.isBatchRunning = false;
        if (abort.signal.aborted) return;
        this.log.debug(`Parsed ${files.length} DAG files in ${Math.round(performance.now() - startedAt)} ms`);
        this.sender.wantFiles(settleDagFiles(this.states, true));
        this.tellIdle();
      });
    this.batch = { codeHash, abort, done };
  }

  private keep(content: FileContent, codeHash: string, batch: number): void {
    const { file } = content;
    // Deleted while it was parsed.
    if (!this.lastScan?.files.has(file)) return;
    const former = this.states.get(file)?.heldSince;
    const heldSince = new Map(content.dags.map(({ dagId }) => [dagId, former?.get(dagId) ?? batch]));
    // To the end of the map: it is in the order in which files were parsed.
    this.states.delete(file);
    this.states.set(file, { codeHash, content, heldSince });
    this.sender.wantFiles(settleDagFiles(this.states, false));
  }
}

/** Relative to the root, with forward slashes. */
function folderInside(projectRoot: string, folder: string): string {
  const way = relative(projectRoot, resolve(projectRoot, folder));
  const parts = way.split(sep);
  if (isAbsolute(way) || parts[0] === '..')
    throw new DagsFolderError(folder, `it is outside of the project ${projectRoot}`);
  if (
    parts.includes('node_modules') ||
    parts[0] === 'dist' ||
    parts[0] === 'logs' ||
    parts.some((part) => part.startsWith('.'))
  )
    throw new DagsFolderError(folder, 'such a folder is not taken for code of the project');
  return parts.join('/');
}
