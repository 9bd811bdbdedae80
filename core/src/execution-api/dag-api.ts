import type { SerializedDag } from '../dag/serialized-dag.ts';

/** What the dag-processor tells the platform. */
export interface DagApi {
  /** All that one file holds, at once: DAGs it no longer has are gone. */
  putDagFile(file: ParsedDagFile): Promise<PutDagFileAnswer>;
  /** The files that exist; what others had held is gone. */
  putDagFileList(files: readonly string[]): Promise<void>;
}

export interface ParsedDagFile {
  /** Relative to the project's root, with forward slashes. */
  readonly file: string;
  /** One for the project: its source files and lockfile. */
  readonly codeHash: string;
  readonly dags: readonly SerializedDag[];
  /** Never stops the DAGs that could be read. */
  readonly importErrors: readonly ImportError[];
}

export interface ImportError {
  readonly file: string;
  /** Null where it is not known. */
  readonly line: number | null;
  readonly message: string;
  readonly stack: string | null;
}

export interface PutDagFileAnswer {
  /** By DAG id: the hash of its content. */
  readonly versionHashes: Readonly<Record<string, string>>;
}
