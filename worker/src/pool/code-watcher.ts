import { resolve } from 'node:path';
import { DirectoryWatchers } from '../dag-processor/directory-watchers.ts';
import { scanProject } from '../loader/scan-project.ts';

/**
 * Tells when the code of a project has changed, so that warm processes do not run the old one. An idle project costs
 * nothing but a scan now and then, the net for what a watch missed.
 *
 * ```ts
 * const watcher = await CodeWatcher.start(projectRoot, (codeHash) => pool.useCode(codeHash));
 * ```
 */
export class CodeWatcher {
  #codeHash = '';
  readonly #projectRoot: string;
  readonly #onChange: (codeHash: string) => void;
  readonly #watchers: DirectoryWatchers;
  readonly #net: NodeJS.Timeout;
  #soon: NodeJS.Timeout | undefined;
  #scanning: Promise<void> | null = null;
  #isWanted = false;
  #isClosed = false;

  private constructor(projectRoot: string, onChange: (codeHash: string) => void) {
    this.#projectRoot = resolve(projectRoot);
    this.#onChange = onChange;
    this.#watchers = new DirectoryWatchers(
      this.#projectRoot,
      () => {
        // Editors write a file in several steps.
        this.#soon ??= setTimeout(() => {
          this.#soon = undefined;
          void this.#scan();
        }, SETTLE_MS);
      },
      () => {},
    );
    this.#net = setInterval(() => void this.#scan(), NET_MS).unref();
  }

  /** Resolves when the hash is known. `onChange` hears of later ones only. */
  static async start(projectRoot: string, onChange: (codeHash: string) => void): Promise<CodeWatcher> {
    const watcher = new CodeWatcher(projectRoot, onChange);
    await watcher.#scan();
    return watcher;
  }

  get codeHash(): string {
    return this.#codeHash;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#net);
    clearTimeout(this.#soon);
    this.#watchers.close();
    await this.#scanning;
  }

  /** One scan at a time; a wish that comes meanwhile is granted afterwards. */
  #scan(): Promise<void> {
    this.#isWanted = true;
    this.#scanning ??= this.#scanWhileWanted().finally(() => {
      this.#scanning = null;
    });
    return this.#scanning;
  }

  async #scanWhileWanted(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      // A folder that disappears while it is read fails the scan; the next event or the net brings another.
      const scan = await scanProject(this.#projectRoot).catch(() => null);
      if (!scan || this.#isClosed) continue;
      if (this.#watchers.follow(scan.directories)) this.#isWanted = true;
      const before = this.#codeHash;
      this.#codeHash = scan.codeHash;
      if (before !== '' && before !== scan.codeHash) this.#onChange(scan.codeHash);
    }
  }
}

const SETTLE_MS = 30;
const NET_MS = 30_000;
