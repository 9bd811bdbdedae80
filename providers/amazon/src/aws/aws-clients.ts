import { createHash } from 'node:crypto';
import { canonicalize } from '@windhover/core';
import { AwsError } from './aws-error.ts';
import type { AwsOptions } from './aws-options.ts';
import type { AwsService } from './aws-service.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import type { AwsCall } from './explain-aws-error.ts';
import { explainAwsError } from './explain-aws-error.ts';

/** A client, and whether its credentials have turned out to be of yesterday. */
export interface ClientLease<Client> {
  readonly client: Client;
  isStale: boolean;
}

/**
 * One client for all hooks of a process that are set up alike: a client costs some hundred kilobytes and has its own
 * sockets and credentials, and a triggerer may have thousands of waits.
 */
export function leaseClient<Client>(
  service: AwsService<Client>,
  settings: ConnectionSettings,
  options: AwsOptions & { readonly connId: string | null },
): Promise<ClientLease<Client>> {
  const key = createHash('sha256')
    .update(canonicalize([service.name, settings, options]))
    .digest('base64');
  let lease = LEASES.get(key) as Promise<ClientLease<Client>> | undefined;
  if (!lease) {
    const forget = () => {
      if (LEASES.get(key) === lease) LEASES.delete(key);
    };
    lease = makeClient(service, settings, options, forget);
    lease.catch(forget);
    LEASES.set(key, lease);
    // The oldest is only forgotten, not closed: somebody may still use it.
    if (LEASES.size > MAX_CLIENTS) LEASES.delete(LEASES.keys().next().value!);
  }
  return lease;
}

const LEASES = new Map<string, Promise<ClientLease<any>>>();
const MAX_CLIENTS = 64;

async function makeClient<Client>(
  service: AwsService<Client>,
  settings: ConnectionSettings,
  options: AwsOptions & { readonly connId: string | null },
  forget: () => void,
): Promise<ClientLease<Client>> {
  const { endpointUrl } = settings;
  const regionName = options.regionName ?? settings.regionName ?? (endpointUrl ? 'us-east-1' : undefined);
  const { maxAttempts } = options.clientConfig ?? {};
  const config = {
    ...(regionName ? { region: regionName } : {}),
    ...(endpointUrl ? { endpoint: endpointUrl } : {}),
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    requestHandler: await requestHandler(options),
  };
  const [credentials, Client] = await Promise.all([makeCredentials(settings, config), service.load()]);
  const client = new Client({
    ...config,
    ...(credentials ? { credentials } : {}),
    ...service.extraConfig?.({ hasEndpoint: endpointUrl !== undefined }),
  });
  const lease = { client, isStale: false };
  explainErrors(client, { service: service.name, endpoint: endpointUrl, connId: options.connId }, () => {
    lease.isStale = true;
    forget();
  });
  return lease;
}

/** Undefined leaves it to the vendor's own chain: environment, profile, container, instance. */
async function makeCredentials(settings: ConnectionSettings, config: object): Promise<unknown> {
  const { accessKeyId, secretAccessKey, sessionToken, profileName, roleArn, roleSessionName, externalId } = settings;
  if (!accessKeyId && !profileName && !roleArn) return undefined;
  const own = accessKeyId && {
    accessKeyId,
    secretAccessKey: secretAccessKey!,
    ...(sessionToken ? { sessionToken } : {}),
  };
  if (own && !roleArn) return own;
  const { fromIni, fromTemporaryCredentials } = await import('@aws-sdk/credential-providers');
  const base = own || (profileName ? fromIni({ profile: profileName }) : undefined);
  if (!roleArn) return base;
  return fromTemporaryCredentials({
    ...(base ? { masterCredentials: base } : {}),
    params: {
      RoleArn: roleArn,
      RoleSessionName: roleSessionName ?? 'windhover',
      ...(externalId ? { ExternalId: externalId } : {}),
    },
    clientConfig: config,
  });
}

/** As plain data: the vendor makes its own handler of it. */
async function requestHandler({ verify = true, clientConfig = {} }: AwsOptions): Promise<object> {
  const { connectionTimeoutMs, requestTimeoutMs } = clientConfig;
  // Only where it is asked for: an agent of one's own takes the place of all the vendor's settings.
  const httpsAgent =
    verify === true
      ? undefined
      : verify === false
        ? { rejectUnauthorized: false }
        : { ca: await (await import('node:fs/promises')).readFile(verify) };
  return {
    ...(connectionTimeoutMs === undefined ? {} : { connectionTimeout: connectionTimeoutMs }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeout: requestTimeoutMs }),
    ...(httpsAgent === undefined ? {} : { httpsAgent }),
  };
}

type Middleware = (
  next: (args: { input: Record<string, unknown> }) => Promise<unknown>,
  context: { commandName?: string },
) => (args: { input: Record<string, unknown> }) => Promise<unknown>;

/** Outermost, so that it sees what is left after the client's own attempts. */
function explainErrors(client: unknown, call: Omit<AwsCall, 'operation' | 'input'>, onExpired: () => void): void {
  const explain: Middleware = (next, context) => async (args) => {
    try {
      return await next(args);
    } catch (error) {
      const operation = (context.commandName ?? 'request').replace(/Command$/, '');
      const explained = explainAwsError(error, { ...call, operation, input: args.input });
      if (AwsError.isInstance(explained) && explained.kind === 'expired') onExpired();
      throw explained;
    }
  };
  const { middlewareStack } = client as { middlewareStack: { add(middleware: Middleware, options: object): void } };
  middlewareStack.add(explain, { step: 'initialize', priority: 'high', name: 'windhoverExplainErrors' });
}
