import { scanProject } from './scan-project.ts';

/**
 * The version of a project's code: one hash over its source files and its lockfile. Equal files give an equal hash on
 * every host. Cheap to ask again: only files that changed since are read.
 */
export async function codeHash(projectRoot: string): Promise<string> {
  return (await scanProject(projectRoot)).codeHash;
}
