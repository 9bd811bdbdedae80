import { keySegment } from './s3-store.ts';

/** What the name of a chunk's object says, so that a page is chosen without reading the chunks before it. */
export interface ChunkName {
  /** Microseconds: objects are listed in the order of their names. */
  readonly stamp: number;
  readonly writer: string;
  readonly sequence: number;
  readonly count: number;
}

export function formatChunkName({ stamp, writer, sequence, count }: ChunkName): string {
  return `${String(stamp).padStart(17, '0')}_${keySegment(writer)}_${sequence}_${count}.json`;
}

export function parseChunkName(key: string): ChunkName {
  const [stamp = '', writer = '', sequence = '', count = ''] = key.slice(key.lastIndexOf('/') + 1, -5).split('_');
  return {
    stamp: Number(stamp),
    writer: decodeURIComponent(writer),
    sequence: Number(sequence),
    count: Number(count),
  };
}
