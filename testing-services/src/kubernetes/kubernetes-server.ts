import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authorize, typeOf, type User } from './access.ts';
import { admit } from './admission.ts';
import { ApiStatus, conflict } from './api-status.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from './kube-object.ts';
import { Kubelet } from './kubelet.ts';
import { parseLabelSelector } from './label-selector.ts';
import { mergePatch } from './merge-patch.ts';
import { ObjectStore, type Selection } from './object-store.ts';
import type { Image } from './pod-worker.ts';
import { parseRoute, type Route } from './route.ts';

export interface KubernetesServerOptions {
  /** What pods may run; another image is one that cannot be pulled. */
  readonly images: Readonly<Record<string, Image>>;
  /** Default: 1,000. A real server sends one about each minute. */
  readonly bookmarkIntervalMs?: number;
}

/**
 * As much of a Kubernetes API server and a node as an executor of pods sees: list and watch with resource versions,
 * bookmarks and 410, create, patch and delete, status, logs, eviction, roles, quotas. Pods' commands run as processes
 * of this machine.
 */
export class KubernetesServer {
  readonly adminToken = randomUUID();
  readonly url: string;
  readonly #http: Server;
  readonly #store: ObjectStore;
  readonly #kubelet: Kubelet;
  readonly #options: KubernetesServerOptions;
  readonly #users = new Map<string, User>();
  readonly #streams = new Set<() => void>();

  static async start(options: KubernetesServerOptions): Promise<KubernetesServer> {
    const http = createServer();
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    return new KubernetesServer(http, options);
  }

  private constructor(http: Server, options: KubernetesServerOptions) {
    this.#http = http;
    this.#options = options;
    this.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    this.#store = new ObjectStore();
    this.#kubelet = new Kubelet({ store: this.#store, images: options.images });
    this.#users.set(this.adminToken, { name: 'admin', serviceAccount: null });
    this.#store.create(typeOf('namespaces'), null, { metadata: { name: 'default' } as KubeObject['metadata'] });
    http.on('request', (request, response) => void this.#answer(request, response));
  }

  /** As after a long time: watches from older versions come too late. */
  compact(): void {
    this.#store.compact();
  }

  async stop(): Promise<void> {
    for (const end of this.#streams) end();
    await this.#kubelet.close();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request);
      const route = parseRoute(request.method!, request.url!);
      const user = this.#users.get(/^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
      if (!user) throw new ApiStatus(401, 'Unauthorized', 'Unauthorized');
      authorize(this.#store, user, route);
      if (route.verb === 'watch') return this.#watch(route, response);
      if (route.subresource === 'log') return this.#log(route, response);
      const [status, answer] = this.#change(route, body, request.headers['content-type'] ?? '');
      send(response, status, answer);
    } catch (error) {
      const status = error instanceof ApiStatus ? error : new ApiStatus(500, 'InternalError', String(error));
      send(response, status.code, status);
    }
  }

  #change(route: Route, body: any, contentType: string): [number, object] {
    const { verb, type, namespace, name, subresource } = route;
    const store = this.#store;
    if (verb === 'list') return [200, this.#list(route)];
    if (verb === 'create' && subresource === 'eviction') return [201, this.#evict(route)];
    if (verb === 'create' && subresource === 'token') return [201, this.#issueToken(route)];
    if (verb === 'create') {
      admit(store, type, namespace, body);
      const status = type.plural === 'pods' ? { status: { phase: 'Pending' } } : {};
      return [201, store.create(type, namespace, { ...body, ...status })];
    }
    const object = store.get(type, namespace, name!);
    switch (verb) {
      case 'get':
        return [200, object];
      case 'update':
        return [200, store.update(type, object, (old) => withPart(old, body, subresource))];
      case 'patch': {
        const known = ['application/merge-patch+json', 'application/strategic-merge-patch+json'];
        if (!known.some((one) => contentType.startsWith(one)))
          throw new ApiStatus(
            415,
            'UnsupportedMediaType',
            `the body of the request was in an unknown format - accepted media types include: ${known.join(', ')}`,
          );
        return [
          200,
          store.update(type, object, (old) => withPart(old, mergePatch(unversioned(old), body), subresource)),
        ];
      }
      case 'delete':
        return [200, this.#delete(type, object, body ?? {})];
      default:
        throw new ApiStatus(405, 'MethodNotAllowed', `the server does not allow this method on the requested resource`);
    }
  }

  #list({ type, namespace, query }: Route): object {
    const all = this.#store.list(type, selectionOf(namespace, query));
    const { version } = this.#store;
    const limit = Number(query.get('limit') ?? 0) || Number.POSITIVE_INFINITY;
    const token = query.get('continue');
    const [since, after] = token
      ? (JSON.parse(Buffer.from(token, 'base64').toString()) as [string, string])
      : [version, ''];
    this.#store.assertReadable(since);
    const rest = all.filter(({ metadata }) => `${metadata.namespace}/${metadata.name}` > after);
    const items = rest.slice(0, limit);
    const last = items.at(-1)?.metadata;
    const isMore = items.length < rest.length;
    const next = isMore
      ? Buffer.from(JSON.stringify([since, `${last!.namespace}/${last!.name}`])).toString('base64')
      : undefined;
    const metadata = { resourceVersion: since, ...(next && { continue: next }) };
    return { kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata, items };
  }

  #watch({ type, namespace, query }: Route, response: ServerResponse): void {
    const write = (event: object) => response.write(`${JSON.stringify(event)}\n`);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const selection = selectionOf(namespace, query);
    const since = query.get('resourceVersion');
    let stop = () => {};
    try {
      if (!since || since === '0')
        for (const object of this.#store.list(type, selection)) write({ type: 'ADDED', object });
      stop = this.#store.watch(type, selection, since && since !== '0' ? since : this.#store.version, write);
    } catch (error) {
      // With status 200 and at the end no error, as a real server does it.
      write({ type: 'ERROR', object: error as ApiStatus });
      response.end();
      return;
    }
    const bookmark = () => {
      const metadata = { resourceVersion: this.#store.version, creationTimestamp: null };
      write({ type: 'BOOKMARK', object: { kind: type.kind, apiVersion: apiVersionOf(type), metadata } });
    };
    const hasBookmarks = query.get('allowWatchBookmarks') === 'true';
    const bookmarks = setInterval(() => hasBookmarks && bookmark(), this.#options.bookmarkIntervalMs ?? 1_000);
    const end = setTimeout(() => response.end(), Number(query.get('timeoutSeconds') ?? 1_800) * 1000);
    this.#stream(response, () => {
      stop();
      clearInterval(bookmarks);
      clearTimeout(end);
    });
  }

  #log({ type, namespace, name, query }: Route, response: ServerResponse): void {
    const pod = this.#store.get(type, namespace, name!);
    const container = query.get('container') || pod.spec.containers[0].name;
    const process = this.#kubelet.workerOf(pod)?.containers.get(container);
    if (!process) {
      const why = `container "${container}" in pod "${name}" is waiting to start: ContainerCreating`;
      throw new ApiStatus(400, 'BadRequest', why);
    }
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    const tail = query.get('tailLines');
    const options = {
      isFollowed: query.get('follow') === 'true',
      hasTimestamps: query.get('timestamps') === 'true',
      tailLines: tail === null ? null : Number(tail),
      sinceTime: query.get('sinceTime'),
    };
    const stop = process.log.read(
      options,
      (text) => response.write(text),
      () => response.end(),
    );
    this.#stream(response, stop);
  }

  #delete(type: ResourceType, object: KubeObject, options: any): object {
    const { name, uid, deletionTimestamp } = object.metadata;
    const wanted = options.preconditions?.uid;
    if (wanted && wanted !== uid)
      throw conflict(
        type.plural,
        name,
        `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`,
      );
    if (type.plural === 'namespaces') this.#empty(name);
    if (type.plural !== 'pods') {
      this.#store.remove(type, object);
      return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
    }
    const grace = options.gracePeriodSeconds ?? object.spec.terminationGracePeriodSeconds ?? 30;
    if (grace === 0) {
      this.#store.remove(type, object);
      return object;
    }
    if (deletionTimestamp) return object;
    return this.#store.update(type, object, (pod) => {
      pod.metadata.deletionTimestamp = new Date(Date.now() + grace * 1000).toISOString();
      pod.metadata.deletionGracePeriodSeconds = grace;
      return pod;
    });
  }

  #empty(namespace: string): void {
    for (const object of this.#store.within(namespace)) {
      const type = typeOf(`${object.kind!.toLowerCase()}s`);
      this.#store.remove(type, object);
    }
  }

  #evict({ namespace, name }: Route): object {
    const pods = typeOf('pods');
    const marked = this.#store.update(pods, this.#store.get(pods, namespace, name!), (pod) => {
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      };
      pod.status.conditions = [...(pod.status.conditions ?? []), condition];
      return pod;
    });
    this.#delete(pods, marked, {});
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  }

  #issueToken({ type, namespace, name }: Route): object {
    this.#store.get(type, namespace, name!);
    const token = randomUUID();
    const serviceAccount = { namespace: namespace!, name: name! };
    this.#users.set(token, { name: `system:serviceaccount:${namespace}:${name}`, serviceAccount });
    return { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', metadata: {}, spec: {}, status: { token } };
  }

  #stream(response: ServerResponse, stop: () => void): void {
    const end = () => response.end();
    this.#streams.add(end);
    response.on('close', () => {
      this.#streams.delete(end);
      stop();
    });
  }
}

function selectionOf(namespace: string | null, query: URLSearchParams): Selection {
  return { namespace, matches: parseLabelSelector(query.get('labelSelector')) };
}

/** `status` changes only the status, everything else all but the status. */
function withPart(old: KubeObject, body: KubeObject, subresource: string | null): KubeObject {
  return subresource === 'status'
    ? { ...old, status: body.status }
    : { ...body, ...(old.status && { status: old.status }) };
}

/** A version in a patch is a condition; one that is not there is none. */
function unversioned(object: KubeObject): KubeObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as KubeObject['metadata'] };
}

async function readBody(request: IncomingMessage): Promise<any> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}

function send(response: ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}
