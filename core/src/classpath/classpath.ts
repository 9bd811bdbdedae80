import { ClasspathError } from './classpath-error.ts';

/**
 * The address of a class: a public export of a package, never a file inside it, because stored rows outlive
 * refactorings. A class of the project itself is addressed by its file, relative to the project's root.
 */
export type Classpath = PackageClasspath | ProjectClasspath;

export interface PackageClasspath {
  readonly type: 'package';
  /** `@windhover/provider-amazon` */
  readonly packageName: string;
  /** `s3`, or `''` for the main entry. */
  readonly subpath: string;
  readonly exportName: string;
}

export interface ProjectClasspath {
  readonly type: 'project';
  /** `dags/triggers/acme-trigger.ts`, with forward slashes. */
  readonly file: string;
  readonly exportName: string;
}

/** Reads a classpath; throws `ClasspathError` for whatever could lead out of a declared package or the project. */
export function parseClasspath(text: string): Classpath {
  const hash = text.lastIndexOf('#');
  if (hash < 0) throw new ClasspathError(text, 'it has no "#" before the name of the export');
  const exportName = text.slice(hash + 1);
  if (!IDENTIFIER.test(exportName) || exportName === '__proto__')
    throw new ClasspathError(text, `"${exportName}" is not the name of an export`);
  const address = text.slice(0, hash);
  return address.startsWith(PROJECT)
    ? { type: 'project', file: projectFile(text, address.slice(PROJECT.length)), exportName }
    : { type: 'package', ...packageAddress(text, address), exportName };
}

export function formatClasspath(classpath: Classpath): string {
  if (classpath.type === 'project') return `${PROJECT}${classpath.file}#${classpath.exportName}`;
  return `${classpath.packageName}${classpath.subpath && `/${classpath.subpath}`}#${classpath.exportName}`;
}

const PROJECT = 'project:';
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const PACKAGE_ADDRESS = /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:\/(.+))?$/;
const SUBPATH_SEGMENT = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/;

function packageAddress(text: string, address: string): { packageName: string; subpath: string } {
  if (address.includes(':'))
    throw new ClasspathError(text, `"${address}" is a URL or a built-in module, not a package`);
  if (/^[./\\]/.test(address)) throw new ClasspathError(text, `"${address}" is a path, not a package`);
  const match = PACKAGE_ADDRESS.exec(address);
  if (!match) throw new ClasspathError(text, `"${address}" is not a package name`);
  const [, packageName = '', subpath = ''] = match;
  const wrong = subpath ? subpath.split('/').find((segment) => !SUBPATH_SEGMENT.test(segment)) : undefined;
  if (wrong !== undefined) throw new ClasspathError(text, `"${wrong}" is not part of a package's subpath`);
  return { packageName, subpath };
}

function projectFile(text: string, file: string): string {
  const segments = file.split('/');
  if (file === '' || file.includes('\\') || file.includes('#') || file.includes('\0')) {
    throw new ClasspathError(text, `"${file}" is not a file of the project`);
  }
  if (
    segments.some(
      (segment) =>
        segment === '' || segment === '.' || segment === '..' || segment === 'node_modules' || segment.includes(':'),
    )
  ) {
    throw new ClasspathError(text, `"${file}" is not a plain path below the project's root`);
  }
  return file;
}
