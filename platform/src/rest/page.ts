import { z } from 'zod';
import { InvalidRequestError } from './invalid-request-error.ts';
import { components } from './schemas.ts';

/** The query of a collection: its own filters beside `limit` and `cursor`. Nothing else is taken. */
export function pageQuery<Shape extends z.core.$ZodLooseShape>(filters: Shape) {
  return z.strictObject({
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    cursor: z.string().optional().register(components, { description: 'The nextCursor of the page before.' }),
    ...filters,
  });
}

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().register(components, { description: 'Null on the last page.' }),
  });
}

export interface Page<Row> {
  readonly items: Row[];
  readonly nextCursor: string | null;
}

/**
 * A page by the key of its last row (keyset): rows that come or go meanwhile make it neither skip nor repeat others.
 * One row more than asked for is fetched, to know whether there is a next page.
 */
export async function paginate<Row, Key extends string | number>(
  query: { readonly limit: number; readonly cursor?: string | undefined },
  fetch: (after: Key | null, limit: number) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): Promise<Page<Row>> {
  const rows = await fetch(query.cursor === undefined ? null : (decode(query.cursor) as Key), query.limit + 1);
  const items = rows.slice(0, query.limit);
  return { items, nextCursor: rows.length > query.limit ? encode(keyOf(items.at(-1)!)) : null };
}

function encode(key: string | number): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

function decode(cursor: string): string | number {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof key === 'string' || typeof key === 'number') return key;
  } catch {
    // Falls through: it is no cursor.
  }
  throw new InvalidRequestError([{ path: 'cursor', message: 'is not the nextCursor of a page of this collection' }]);
}
