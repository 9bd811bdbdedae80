import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface NpmRegistry {
  readonly url: string;
  /** Names and versions that were published here, in order: `windhover@0.1.0`. */
  readonly published: readonly string[];
  /** Takes the file that `npm pack` has made. */
  publish(tarball: string): void;
  stop(): Promise<void>;
}

/**
 * An npm registry on loopback: it has what is published to it, by `npm publish` too, and sends whoever asks for
 * anything else to the registry that npm is configured with. As far as npm's client goes: no users, no search.
 */
export async function startNpmRegistry(): Promise<NpmRegistry> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().replace(/\/$/, '');
  const packages = new Map<string, Packument>();
  const tarballs = new Map<string, Buffer>();
  const published: string[] = [];
  let url = '';

  const add = (description: Description, content: Buffer) => {
    const { name, version } = description;
    const path = `/-/tarballs/${name.replace('/', '-')}-${version}.tgz`;
    tarballs.set(path, content);
    const known = packages.get(name) ?? { name, 'dist-tags': {}, versions: {} };
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
    known.versions[version] = { ...description, dist: { tarball: url + path, integrity } };
    known['dist-tags'].latest = version;
    packages.set(name, known);
    published.push(`${name}@${version}`);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://registry').pathname);
    const name = path.slice(1);
    if (request.method === 'PUT') {
      const { versions, _attachments } = JSON.parse((await buffer(request)).toString()) as Publication;
      const [description] = Object.values(versions);
      const [attachment] = Object.values(_attachments);
      if (packages.get(name)?.versions[description!.version])
        return send(response, 409, { error: `${name}@${description!.version} is there already` });
      add(description!, Buffer.from(attachment!.data, 'base64'));
      return send(response, 201, { ok: true });
    }
    const tarball = tarballs.get(path);
    if (tarball) return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(tarball);
    const found = packages.get(name);
    if (found) return send(response, 200, found);
    return response.writeHead(307, { location: `${upstream}${request.url}` }).end();
  };

  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    published,
    publish: (tarball) => add(descriptionIn(tarball), readFileSync(tarball)),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Description {
  readonly name: string;
  readonly version: string;
}

interface Packument {
  readonly name: string;
  readonly 'dist-tags': Record<string, string>;
  readonly versions: Record<
    string,
    Description & { readonly dist: { readonly tarball: string; readonly integrity: string } }
  >;
}

/** What `npm publish` sends. */
interface Publication {
  readonly versions: Record<string, Description>;
  readonly _attachments: Record<string, { readonly data: string }>;
}

function descriptionIn(tarball: string): Description {
  return JSON.parse(
    execFileSync('tar', ['-xOzf', tarball, 'package/package.json'], { encoding: 'utf8' }),
  ) as Description;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
