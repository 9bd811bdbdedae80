import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

export type ProjectFile =
  | { readonly type: 'found'; readonly path: string }
  | { readonly type: 'missing' }
  | { readonly type: 'outside'; readonly path: string };

/**
 * Where a file of the project really is. Its name may come from a stored row, so links are followed first and then the
 * place is judged: below the project's root, and not in an installed package.
 */
export async function locateProjectFile(projectRoot: string, file: string): Promise<ProjectFile> {
  const wanted = resolve(projectRoot, file);
  if (!isInside(projectRoot, wanted)) return { type: 'outside', path: wanted };
  try {
    const [root, path] = await Promise.all([realpath(projectRoot), realpath(wanted)]);
    const isOutside = !isInside(root, path) || relative(root, path).split(sep).includes('node_modules');
    return { type: isOutside ? 'outside' : 'found', path };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return { type: 'missing' };
    throw error;
  }
}

/** Both must be absolute, with links followed. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
