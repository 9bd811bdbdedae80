import type { Connection } from '@windhover/core';
import type { AuthClient } from 'google-auth-library';

/** What a task may choose beside its connection. */
export interface GoogleOverrides {
  /** Default: the project of the connection, else that of the credentials. */
  readonly projectId?: string | undefined;
  /** The accounts to act as, the last one in the end; each grants the one before it. Default: the connection's. */
  readonly impersonationChain?: string | readonly string[] | undefined;
}

/** Credentials that the clients of all services share, and that can be made anew when a service no longer takes them. */
export interface GoogleCredentials {
  /** Undefined where neither the connection nor the credentials name one. */
  readonly projectId: string | undefined;
  /** Undefined: Google's own addresses. */
  readonly apiEndpoint: string | undefined;
  readonly isAnonymous: boolean;
  /** For the `authClient` of a vendor's client. */
  readonly authClient: AuthClient;
  /** Makes new tokens from the connection's key. */
  renew(): void;
}

export async function makeCredentials(connection: Connection, overrides: GoogleOverrides): Promise<GoogleCredentials> {
  const extra = readExtra(connection);
  const make = () => (extra.isAnonymous ? anonymous() : makeAuthClient(extra, overrides));
  // A key that cannot be read is told here, and not with the first request.
  let current = Promise.resolve(await make());
  const own = overrides.projectId ?? extra.project;
  return {
    projectId: own ?? ((await current).projectId || undefined),
    apiEndpoint: extra.apiEndpoint,
    isAnonymous: extra.isAnonymous,
    authClient: delegateTo(() => current),
    renew() {
      current = make();
    },
  };
}

interface GoogleExtra {
  readonly project: string | undefined;
  readonly keyPath: string | undefined;
  readonly keyfileDict: Record<string, string> | undefined;
  readonly scopes: readonly string[];
  readonly impersonationChain: readonly string[];
  readonly isAnonymous: boolean;
  readonly apiEndpoint: string | undefined;
}

const CLOUD_PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';

function readExtra({ extra }: Connection): GoogleExtra {
  const text = (name: string) => (typeof extra[name] === 'string' && extra[name] !== '' ? extra[name] : undefined);
  const list = (name: string) => (Array.isArray(extra[name]) ? (extra[name] as string[]) : split(text(name)));
  const key = extra.keyfileDict;
  const scopes = list('scopes');
  return {
    project: text('project'),
    keyPath: text('keyPath'),
    keyfileDict:
      typeof key === 'string' && key !== '' ? parseKey(key) : ((key || undefined) as GoogleExtra['keyfileDict']),
    scopes: scopes.length > 0 ? scopes : [CLOUD_PLATFORM],
    impersonationChain: list('impersonationChain'),
    isAnonymous: extra.isAnonymous === true || extra.isAnonymous === 'true',
    apiEndpoint: text('apiEndpoint')?.replace(/\/$/, ''),
  };
}

async function makeAuthClient(extra: GoogleExtra, overrides: GoogleOverrides): Promise<AuthClient> {
  const { GoogleAuth, Impersonated } = await import('google-auth-library');
  const auth = new GoogleAuth({
    scopes: [...extra.scopes],
    ...(extra.keyPath === undefined ? {} : { keyFilename: extra.keyPath }),
    ...(extra.keyfileDict === undefined ? {} : { credentials: extra.keyfileDict }),
  });
  // A token signed by the key itself: Google's APIs take it, and no request is needed to get it.
  auth.useJWTAccessWithScope = true;
  const client = await auth.getClient();
  // Not asked where it is given: for some credentials the answer takes a request.
  if (extra.project === undefined && overrides.projectId === undefined)
    client.projectId ??= await auth.getProjectId().catch(() => null);
  const chain =
    overrides.impersonationChain === undefined ? extra.impersonationChain : asList(overrides.impersonationChain);
  const target = chain.at(-1);
  if (target === undefined) return client;
  const impersonated = new Impersonated({
    sourceClient: client,
    targetPrincipal: target,
    delegates: chain.slice(0, -1),
    targetScopes: [...extra.scopes],
    ...(extra.apiEndpoint === undefined ? {} : { endpoint: extra.apiEndpoint }),
  });
  impersonated.projectId = client.projectId ?? null;
  return impersonated;
}

/** The one object that clients keep, whatever becomes of the credentials behind it. */
function delegateTo(current: () => Promise<AuthClient>): AuthClient {
  return {
    getRequestHeaders: async (url?: string | URL) => (await current()).getRequestHeaders(url),
    request: async (options: Parameters<AuthClient['request']>[0]) => (await current()).request(options),
  } as unknown as AuthClient;
}

async function anonymous(): Promise<AuthClient> {
  const { PassThroughClient } = await import('google-auth-library');
  return new PassThroughClient();
}

function parseKey(text: string): Record<string, string> {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    // Without its cause: the message of a SyntaxError quotes the text, and so the key.
    throw new TypeError('its keyfileDict is not the JSON of a key file.');
  }
}

function asList(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? split(value) : value;
}

function split(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}
