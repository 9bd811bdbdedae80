import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { isCodeFile } from '../loader/scan-project.ts';

/**
 * Tells that something in the project's folders may have changed. One watcher a folder: with `recursive`, Node on Linux
 * opens one for every file below node_modules as well.
 */
export class DirectoryWatchers {
  private readonly root: string;
  private readonly onChange: () => void;
  private readonly onFailure: (directory: string, error: Error) => void;
  private readonly watched = new Map<string, { readonly mark: string; readonly watcher: FSWatcher | null }>();

  constructor(root: string, onChange: () => void, onFailure: (directory: string, error: Error) => void) {
    this.root = root;
    this.onChange = onChange;
    this.onFailure = onFailure;
  }

  /**
   * Watches these folders and no others. True if one was added: what happened in it before must be looked for once more.
   */
  follow(directories: ReadonlyMap<string, string>): boolean {
    for (const [directory, { mark }] of this.watched) if (directories.get(directory) !== mark) this.forget(directory);
    const added = [...directories].filter(([directory]) => !this.watched.has(directory));
    for (const [directory, mark] of added) this.watched.set(directory, { mark, watcher: this.open(directory) });
    return added.length > 0;
  }

  close(): void {
    for (const directory of [...this.watched.keys()]) this.forget(directory);
  }

  private open(directory: string): FSWatcher | null {
    try {
      const watcher = watch(join(this.root, directory), (event, name) => {
        // A rename may be that of a folder, whose name tells nothing.
        if (event === 'rename' || name === null || isCodeFile(name)) this.onChange();
      });
      watcher.on('error', () => {
        this.forget(directory);
        this.onChange();
      });
      return watcher;
    } catch (error) {
      // The system's limit of watches, or the folder is gone already. The scan still finds changes.
      this.onFailure(directory, error as Error);
      return null;
    }
  }

  private forget(directory: string): void {
    this.watched.get(directory)?.watcher?.close();
    this.watched.delete(directory);
  }
}
