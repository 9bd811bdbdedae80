import type { CheckScript } from '../check-script.ts';
import type { StandInAnswer, StandInRequest } from '../stand-in-server.ts';
import { BUSY, googleError } from './google-error.ts';

interface StoredObject {
  readonly name: string;
  readonly content: Buffer;
  readonly updated: Date;
  readonly generation: number;
}

/** Cloud Storage's JSON API, as far as sensors and loads need it: metadata, listing with prefix, glob and pages, media. */
export class GcsStandIn {
  readonly #buckets = new Map<string, Map<string, StoredObject>>();
  readonly #options: { readonly now: () => Date; readonly pageSize: number; readonly checks: CheckScript | undefined };
  #generation = 0;

  constructor(options: { now: () => Date; pageSize: number; checks: CheckScript | undefined }) {
    this.#options = options;
  }

  createBucket(bucket: string): void {
    if (!this.#buckets.has(bucket)) this.#buckets.set(bucket, new Map());
  }

  /** Puts an object, and its bucket where there is none yet. */
  put(bucket: string, name: string, content: string | Buffer = '', updated = this.#options.now()): void {
    this.createBucket(bucket);
    this.#generation += 1;
    const stored = { name, content: Buffer.from(content), updated, generation: this.#generation };
    this.#buckets.get(bucket)!.set(name, stored);
  }

  remove(bucket: string, name: string): void {
    this.#buckets.get(bucket)?.delete(name);
  }

  /** The contents behind `gs://bucket/name`, where the name may hold one `*`. */
  read(uri: string): readonly Buffer[] {
    const [, bucket = '', name = ''] = /^gs:\/\/([^/]+)\/(.+)$/.exec(uri) ?? [];
    const pattern = globPattern(name.replaceAll('*', '**'));
    return this.#sorted(bucket)
      .filter((each) => pattern.test(each.name))
      .map(({ content }) => content);
  }

  handle(request: StandInRequest): StandInAnswer {
    const [, bucket = '', name] = /^\/storage\/v1\/b\/([^/]+)(?:\/o(?:\/(.+))?)?$/s.exec(request.path) ?? [];
    const isNextPage = request.query.has('pageToken');
    const scripted = isNextPage ? undefined : this.#scripted(bucket, name);
    if (scripted) return scripted;
    if (!this.#buckets.has(bucket)) return googleError(404, 'notFound', 'The specified bucket does not exist.');
    if (name === undefined) return { body: this.#list(bucket, request.query) };
    const stored = this.#buckets.get(bucket)!.get(name);
    if (!stored) return googleError(404, 'notFound', `No such object: ${bucket}/${name}`);
    return request.query.get('alt') === 'media' ? { body: stored.content } : { body: resource(bucket, stored) };
  }

  /** With a script: `pending` hides the objects, so that what is waited for is not there yet. */
  #scripted(bucket: string, name: string | undefined): StandInAnswer | undefined {
    const { checks } = this.#options;
    const answer = checks?.next();
    if (answer === 'transient') return checks!.transient(BUSY);
    if (answer === 'failed') return googleError(403, 'forbidden', `The caller may not read the bucket ${bucket}.`);
    if (answer !== 'pending') return undefined;
    if (name === undefined) return { body: { kind: 'storage#objects', items: [] } };
    return googleError(404, 'notFound', `No such object: ${bucket}/${name}`);
  }

  #list(bucket: string, query: URLSearchParams) {
    const prefix = query.get('prefix') ?? '';
    const glob = query.get('matchGlob');
    const pattern = glob === null ? undefined : globPattern(glob);
    const found = this.#sorted(bucket).filter(({ name }) => name.startsWith(prefix) && (pattern?.test(name) ?? true));
    const start = Number(query.get('pageToken') ?? 0);
    const size = Math.min(Number(query.get('maxResults') ?? this.#options.pageSize), this.#options.pageSize);
    const end = start + size;
    return {
      kind: 'storage#objects',
      items: found.slice(start, end).map((stored) => resource(bucket, stored)),
      ...(end < found.length ? { nextPageToken: String(end) } : {}),
    };
  }

  #sorted(bucket: string): readonly StoredObject[] {
    return [...(this.#buckets.get(bucket)?.values() ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function resource(bucket: string, { name, content, updated, generation }: StoredObject) {
  return {
    kind: 'storage#object',
    id: `${bucket}/${name}/${generation}`,
    bucket,
    name,
    size: String(content.length),
    generation: String(generation),
    timeCreated: updated.toISOString(),
    updated: updated.toISOString(),
  };
}

/** `*` stays inside a folder, `**` does not, as in `matchGlob`. */
function globPattern(glob: string): RegExp {
  const source = glob.replace(/\*\*|\*|\?|[.+^${}()|[\]\\]/g, (found) => {
    if (found === '**') return '.*';
    if (found === '*') return '[^/]*';
    return found === '?' ? '[^/]' : `\\${found}`;
  });
  return new RegExp(`^${source}$`, 's');
}
