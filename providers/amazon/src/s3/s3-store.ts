import { Connection, type ConnectionFields } from '@windhover/core';
import { S3Hook } from './s3-hook.ts';

/** Where a store of the deployment keeps its objects; written in `windhover.config.ts`. */
export interface S3StoreOptions {
  readonly bucketName: string;
  /** Before all keys. Default: `windhover`. */
  readonly prefix?: string;
  /** A connection of type `aws`, as its fields or as a URI. Default: what the machine itself offers. */
  readonly connection?: ConnectionFields | string;
}

/** A hook for code that runs beside tasks and has no connections of the platform. */
export function storeHook({ connection }: S3StoreOptions): S3Hook {
  if (connection === undefined) return new S3Hook({ connection: neverAsked }, { awsConnId: null });
  const connId = 'windhover.config.ts';
  const made =
    typeof connection === 'string' ? Connection.fromUri(connId, connection) : new Connection(connId, connection);
  return new S3Hook({ connection: async () => made }, connId);
}

/** Part of a key that no other id is taken for, and that is no path. */
export function keySegment(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E').replaceAll('*', '%2A').replaceAll('_', '%5F');
}

function neverAsked(): Promise<never> {
  throw new TypeError('A hook without a connection id asks for no connection.');
}
