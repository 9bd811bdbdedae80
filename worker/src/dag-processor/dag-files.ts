/** Which of the project's files are DAG files: sources in the DAG folder, but no tests, types, or private things. */
export function dagFilesOf(files: Iterable<string>, dagsFolder: string): string[] {
  const prefix = dagsFolder === '' ? '' : `${dagsFolder}/`;
  return [...files].filter((file) => file.startsWith(prefix) && isDagFile(file.slice(prefix.length)));
}

const SOURCE = /\.(?:ts|js|mts|mjs)$/;
const TEST_OR_TYPES = /\.(?:test|spec)\.[^/.]+$|\.d\.(?:ts|mts)$/;

function isDagFile(path: string): boolean {
  const isPrivate = path.split('/').some((part) => /^[_.]/.test(part) || part === 'node_modules');
  return SOURCE.test(path) && !TEST_OR_TYPES.test(path) && !isPrivate;
}
