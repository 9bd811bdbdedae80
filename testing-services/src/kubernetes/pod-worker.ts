import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { typeOf } from './access.ts';
import { ContainerProcess } from './container-process.ts';
import type { KubeObject } from './kube-object.ts';
import type { ObjectStore } from './object-store.ts';

/** An image is a folder of this machine in which commands run. */
export interface Image {
  readonly cwd: string;
  /** Default: none beside PATH and HOME of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface PodWorkerOptions {
  readonly store: ObjectStore;
  readonly images: Readonly<Record<string, Image>>;
}

/** One pod on the node: waits for its volumes, runs its containers and keeps its status. */
export class PodWorker {
  readonly containers = new Map<string, ContainerProcess>();
  readonly #options: PodWorkerOptions;
  readonly #namespace: string;
  readonly #name: string;
  readonly #uid: string;
  #folder: string | null = null;
  #isStopping = false;
  #finished = Promise.resolve();

  constructor(options: PodWorkerOptions, { metadata: { namespace, name, uid } }: KubeObject) {
    this.#options = options;
    this.#namespace = namespace!;
    this.#name = name;
    this.#uid = uid;
  }

  start(): void {
    this.#finished = this.#run();
  }

  /** Ends what runs, and resolves when it is over. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const container of this.containers.values()) container.stop(graceMs);
    await this.#finished;
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
  }

  async #run(): Promise<void> {
    const pod = this.#pod();
    if (!pod || (pod.spec.nodeSelector && !this.#bindable(pod))) return;
    this.#setStatus((status) => ({
      ...status,
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: new Date().toISOString() }],
      containerStatuses: pod.spec.containers.map((container: any) => waiting(container, 'ContainerCreating')),
    }));
    if (!this.#hasImages(pod)) return;
    const mounts = await this.#mount(pod);
    if (!mounts || this.#isStopping) return;
    for (const container of pod.spec.containers) this.#startContainer(container, mounts);
    this.#report();
    const all = [...this.containers.values()].map((container) => container.whenOver.then(() => this.#report()));
    await Promise.all(all);
  }

  /** There is one node, and it has no labels. */
  #bindable(pod: KubeObject): boolean {
    const message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    const isBindable = Object.keys(pod.spec.nodeSelector).length === 0;
    if (!isBindable) this.#setStatus((status) => ({ ...status, conditions: [condition] }));
    return isBindable;
  }

  #hasImages(pod: KubeObject): boolean {
    const missing = pod.spec.containers.find(({ image }: { image: string }) => !(image in this.#options.images));
    if (!missing) return true;
    const tell = (reason: string, message: string) =>
      this.#setStatus((status) => ({
        ...status,
        containerStatuses: pod.spec.containers.map((container: any) =>
          container === missing ? waiting(container, reason, message) : waiting(container, 'ContainerCreating'),
        ),
      }));
    const { image } = missing;
    if (/[A-Z\s]/.test(image)) {
      tell(
        'InvalidImageName',
        `Failed to apply default image tag "${image}": couldn't parse image name: invalid reference format`,
      );
      return false;
    }
    tell('ErrImagePull', `failed to pull and unpack image "${image}": not found`);
    setTimeout(() => tell('ImagePullBackOff', `Back-off pulling image "${image}"`), 20);
    return false;
  }

  /** Volumes of secrets become folders. Null if the pod was deleted meanwhile. */
  async #mount(pod: KubeObject): Promise<ReadonlyMap<string, string> | null> {
    const folder = await mkdtemp(join(tmpdir(), 'windhover-pod-'));
    this.#folder = folder;
    const folders = new Map<string, string>();
    for (const { name, secret } of pod.spec.volumes ?? []) {
      const path = join(folder, name);
      await mkdir(path);
      folders.set(name, path);
      if (!secret) continue;
      const found = await this.#secret(secret.secretName);
      if (!found) return null;
      for (const [key, value] of Object.entries<string>(found.data ?? {}))
        await writeFile(join(path, key), Buffer.from(value, 'base64'));
    }
    return folders;
  }

  /** Waits for it, like a kubelet that tries to mount it again and again. */
  async #secret(name: string): Promise<KubeObject | null> {
    const { store } = this.#options;
    for (;;) {
      const found = store.find(typeOf('secrets'), this.#namespace, name);
      if (found) return found;
      if (this.#isStopping || !this.#pod()) return null;
      await new Promise<void>((resolve) => {
        const stop = store.onChange(() => {
          stop();
          resolve();
        });
      });
    }
  }

  /** There are no mounts for a process: paths in arguments and environment that begin with one are led to its folder. */
  #startContainer(container: any, folders: ReadonlyMap<string, string>): void {
    const image = this.#options.images[container.image]!;
    const mounts: [string, string][] = (container.volumeMounts ?? []).map(
      (mount: { mountPath: string; name: string }) => [mount.mountPath, folders.get(mount.name)!],
    );
    const inside = (text: string) => {
      const mount = mounts.find(([path]) => text === path || text.startsWith(`${path}/`));
      return mount ? mount[1] + text.slice(mount[0].length) : text;
    };
    const own = (container.env ?? []).map(({ name, value = '' }: { name: string; value?: string }) => [
      name,
      inside(value),
    ]);
    const { PATH = '', HOME = '' } = process.env;
    const command = [...(container.command ?? []), ...(container.args ?? [])].map(inside);
    const env = { PATH, HOME, ...image.env, ...Object.fromEntries(own) };
    const cwd = container.workingDir ? inside(container.workingDir) : image.cwd;
    this.containers.set(container.name, new ContainerProcess({ command, cwd, env }));
  }

  #report(): void {
    this.#setStatus((status) => {
      const containers = [...this.containers.entries()];
      const ends = containers.map(([, { terminated }]) => terminated);
      const isOver = ends.every(Boolean);
      const isFine = ends.every((end) => end?.exitCode === 0);
      return {
        ...status,
        phase: isOver ? (isFine ? 'Succeeded' : 'Failed') : 'Running',
        containerStatuses: containers.map(([name, { terminated, startedAt }]) => ({
          name,
          image: this.#pod()?.spec.containers.find((container: any) => container.name === name)?.image,
          imageID: '',
          ready: !terminated,
          restartCount: 0,
          state: terminated ? { terminated } : { running: { startedAt } },
        })),
      };
    });
  }

  #setStatus(change: (status: any) => any): void {
    const pod = this.#pod();
    if (!pod) return;
    const { phase } = pod.status;
    // A pod that was evicted stays so, whatever its processes do.
    if (phase === 'Succeeded' || phase === 'Failed') return;
    this.#options.store.update(typeOf('pods'), pod, (object) => ({ ...object, status: change(object.status) }));
  }

  #pod(): KubeObject | null {
    const found = this.#options.store.find(typeOf('pods'), this.#namespace, this.#name);
    return found?.metadata.uid === this.#uid ? found : null;
  }
}

function waiting({ name, image }: { name: string; image: string }, reason: string, message?: string): object {
  const state = { waiting: { reason, ...(message && { message }) } };
  return { name, image, imageID: '', ready: false, restartCount: 0, state };
}
