import type { ImportError, SerializedDag } from '@windhover/core';

/** To the process that parses. */
export interface ParseRequest {
  readonly type: 'parse';
  readonly file: string;
}

/** From it. `ready` comes once, before anything is asked. */
export type ParserMessage = { readonly type: 'ready' } | ({ readonly type: 'parsed' } & FileContent);

/** What one file holds, seen by itself. */
export interface FileContent {
  readonly file: string;
  readonly dags: readonly SerializedDag[];
  readonly importErrors: readonly ImportError[];
  /** DAGs it made and did not export; an error unless another file exports them. */
  readonly notExported: readonly { readonly dagId: string; readonly error: ImportError }[];
}
