import { typeOf } from './access.ts';
import type { KubeObject } from './kube-object.ts';
import type { WatchEvent } from './object-store.ts';
import { PodWorker, type PodWorkerOptions } from './pod-worker.ts';

/** Scheduler, node and garbage collector in one: runs each pod that appears, and confirms each deletion. */
export class Kubelet {
  readonly #options: PodWorkerOptions;
  readonly #workers = new Map<string, PodWorker>();
  readonly #stopWatch: () => void;

  constructor(options: PodWorkerOptions) {
    this.#options = options;
    const { store } = options;
    const all = { namespace: null, matches: () => true };
    this.#stopWatch = store.watch(typeOf('pods'), all, store.version, (event) => this.#onEvent(event));
  }

  workerOf({ metadata: { uid } }: KubeObject): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  async close(): Promise<void> {
    this.#stopWatch();
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop(0)));
  }

  #onEvent({ type, object }: WatchEvent): void {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
    if (type === 'ADDED') {
      const worker = new PodWorker(this.#options, object);
      this.#workers.set(uid, worker);
      // A turn later: whoever created it hears of it first.
      setImmediate(() => worker.start());
    } else if (type === 'DELETED') {
      void this.#forget(object, 0);
    } else if (deletionTimestamp) {
      void this.#confirmDeletion(object, deletionGracePeriodSeconds * 1000);
    } else if (object.status?.phase === 'Failed') {
      // Evicted: its processes go, the object stays.
      void this.#workers.get(uid)?.stop(0);
    }
  }

  async #confirmDeletion(pod: KubeObject, graceMs: number): Promise<void> {
    await this.#workers.get(pod.metadata.uid)?.stop(graceMs);
    this.#options.store.remove(typeOf('pods'), pod);
  }

  async #forget({ metadata: { uid } }: KubeObject, graceMs: number): Promise<void> {
    const { store } = this.#options;
    for (const owned of store.ownedBy(uid)) store.remove(typeOf(PLURALS[owned.kind!]!), owned);
    await this.#workers.get(uid)?.stop(graceMs);
    this.#workers.delete(uid);
  }
}

const PLURALS: Readonly<Record<string, string>> = { Secret: 'secrets', Pod: 'pods', Lease: 'leases' };
