import { randomUUID } from 'node:crypto';
import { alreadyExists, conflict, expired, notFound } from './api-status.ts';
import { apiVersionOf, type KubeMetadata, type KubeObject, type ResourceType } from './kube-object.ts';
import type { LabelSelector } from './label-selector.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

interface Change {
  readonly version: number;
  readonly plural: string;
  readonly before: KubeObject | null;
  readonly after: KubeObject | null;
}

export interface Selection {
  /** Null: of all namespaces. */
  readonly namespace: string | null;
  readonly matches: LabelSelector;
}

/** Keeps objects as etcd would: each change has a version, and the last changes can be read again. */
export class ObjectStore {
  readonly #objects = new Map<string, KubeObject>();
  readonly #listeners = new Set<(change: Change) => void>();
  #history: Change[] = [];
  /** Not from zero, so that a watch from version 1 comes too late, as on a server that has lived. */
  #version = 1000;
  #oldest = 1000;

  get version(): string {
    return String(this.#version);
  }

  get(type: ResourceType, namespace: string | null, name: string): KubeObject {
    const found = this.find(type, namespace, name);
    if (!found) throw notFound(type.plural, name);
    return found;
  }

  find(type: ResourceType, namespace: string | null, name: string): KubeObject | undefined {
    return this.#objects.get(keyOf(type, namespace, name));
  }

  list(type: ResourceType, { namespace, matches }: Selection): KubeObject[] {
    const prefix = `${type.plural}/${namespace === null ? '' : `${namespace}/`}`;
    return [...this.#objects]
      .filter(([key, { metadata }]) => key.startsWith(prefix) && matches(metadata.labels ?? {}))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, object]) => object);
  }

  create(type: ResourceType, namespace: string | null, body: Partial<KubeObject>): KubeObject {
    const { name } = body.metadata as KubeMetadata;
    if (this.find(type, namespace, name)) throw alreadyExists(type.plural, name);
    const metadata = {
      ...body.metadata,
      ...(namespace !== null && { namespace }),
      uid: randomUUID(),
      creationTimestamp: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    } as KubeMetadata;
    return this.#write(type, null, { ...body, apiVersion: apiVersionOf(type), kind: type.kind, metadata });
  }

  /** `change` gets a copy. Where it answers a `resourceVersion` that is not the current one, it came too late. */
  update(type: ResourceType, before: KubeObject, change: (object: KubeObject) => KubeObject): KubeObject {
    const { name, namespace, uid, resourceVersion } = before.metadata;
    const after = change(structuredClone(before));
    if (after.metadata.resourceVersion && after.metadata.resourceVersion !== resourceVersion)
      throw conflict(
        type.plural,
        name,
        'the object has been modified; please apply your changes to the latest version',
      );
    Object.assign(after.metadata, { name, uid, ...(namespace !== undefined && { namespace }) });
    return this.#write(type, before, after);
  }

  remove(type: ResourceType, { metadata: { namespace, name, uid } }: KubeObject): void {
    const key = keyOf(type, namespace ?? null, name);
    const before = this.#objects.get(key);
    if (before?.metadata.uid !== uid) return;
    this.#objects.delete(key);
    this.#version += 1;
    const last = { ...before, metadata: { ...before.metadata, resourceVersion: this.version } };
    this.#publish({ version: this.#version, plural: type.plural, before: last, after: null });
  }

  /** Everything that names this one as its owner. */
  ownedBy(uid: string): KubeObject[] {
    return [...this.#objects.values()].filter(({ metadata }) =>
      metadata.ownerReferences?.some((own) => own.uid === uid),
    );
  }

  within(namespace: string): KubeObject[] {
    return [...this.#objects.values()].filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** From now on the changes so far cannot be read again. */
  compact(): void {
    this.#history = [];
    this.#oldest = this.#version;
  }

  /** Throws when what has changed since this version cannot be read again. */
  assertReadable(since: string): void {
    if (Number(since) < this.#oldest) throw expired(since, this.#oldest);
  }

  /**
   * Tells all changes after this version, then those to come; throws when the version is too old. A version from the
   * future is waited for, however long.
   */
  watch(type: ResourceType, selection: Selection, since: string, onEvent: (event: WatchEvent) => void): () => void {
    this.assertReadable(since);
    const tell = (change: Change) => {
      if (change.plural !== type.plural || change.version <= Number(since)) return;
      const event = eventOf(change, selection);
      if (event) onEvent(event);
    };
    for (const change of this.#history) tell(change);
    return this.#listen(tell);
  }

  /** Calls back after each change. */
  onChange(listener: () => void): () => void {
    return this.#listen(listener);
  }

  #listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #write(type: ResourceType, before: KubeObject | null, after: KubeObject): KubeObject {
    this.#version += 1;
    after.metadata.resourceVersion = this.version;
    this.#objects.set(keyOf(type, after.metadata.namespace ?? null, after.metadata.name), after);
    this.#publish({ version: this.#version, plural: type.plural, before, after });
    return after;
  }

  #publish(change: Change): void {
    this.#history.push(change);
    if (this.#history.length > HISTORY) {
      const dropped = this.#history.splice(0, HISTORY / 2);
      this.#oldest = dropped.at(-1)!.version;
    }
    for (const listener of [...this.#listeners]) listener(change);
  }
}

const HISTORY = 10_000;

/** An object that begins or ends to match appears and disappears for this watcher. */
function eventOf({ before, after }: Change, { namespace, matches }: Selection): WatchEvent | null {
  const isOurs = (object: KubeObject | null) =>
    object !== null &&
    (namespace === null || object.metadata.namespace === namespace) &&
    matches(object.metadata.labels ?? {});
  const [was, is] = [isOurs(before), isOurs(after)];
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: after! };
  return was ? { type: 'DELETED', object: after ?? before! } : null;
}

function keyOf({ plural }: ResourceType, namespace: string | null, name: string): string {
  return `${plural}/${namespace ?? ''}/${name}`;
}
