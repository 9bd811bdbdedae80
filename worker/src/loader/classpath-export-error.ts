import { WindhoverError } from '@windhover/core';
import { nearestName } from './nearest-name.ts';

/** The module of a classpath is there, the export is not. */
export class ClasspathExportError extends WindhoverError {
  readonly code = 'E_CLASSPATH_EXPORT';
  readonly classpath: string;
  readonly exportName: string;
  readonly availableExports: readonly string[];

  constructor(classpath: string, exportName: string, availableExports: readonly string[]) {
    const nearest = nearestName(exportName, availableExports);
    super(
      `Cannot load "${classpath}": the module has no export "${exportName}". ` +
        `Exports: ${availableExports.join(', ') || 'none'}. ` +
        (nearest
          ? `Was it renamed to "${nearest}"? Then the manifest's aliases may map the old classpath to the new one.`
          : 'Export it, or map the old classpath to a new one in the aliases of the manifest.'),
    );
    this.classpath = classpath;
    this.exportName = exportName;
    this.availableExports = availableExports;
  }
}
