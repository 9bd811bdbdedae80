import { generateKeyPairSync } from 'node:crypto';
import type { BackendAnswer, JobBackend, VirtualClock } from '@windhover/core/testing';
import { CheckScript, type Snowflake, startSnowflake } from '@windhover/testing-services';

// The driver asks the metadata services of three clouds at each login otherwise, which takes seconds where there is none.
process.env.SNOWFLAKE_DISABLE_PLATFORM_DETECTION = 'true';
process.env.SNOWFLAKE_DISABLE_MINICORE = 'true';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const PRIVATE_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
export const PUBLIC_KEY = publicKey.export({ type: 'spki', format: 'pem' }).toString();

export interface SnowflakeBackend extends JobBackend {
  readonly snowflake: Snowflake;
}

/** Connections that lead to a stand-in: by key pair, and by password. */
export function connectionsTo({ url }: { url: string }) {
  const base = { connType: 'snowflake', login: 'loader', schema: 'PUBLIC' };
  const extra = { account: 'acme', database: 'DB', warehouse: 'WH', role: 'READER', accessUrl: url };
  return {
    snowflake_default: { ...base, extra: { ...extra, privateKeyContent: PRIVATE_KEY } },
    by_password: { ...base, password: 'secret', extra },
    by_token: { ...base, extra: { ...extra, token: 'pat-1' } },
    by_oauth: { ...base, extra: { ...extra, token: 'oauth-1', authenticator: 'OAUTH' } },
  };
}

export function startAccount(options: Parameters<typeof startSnowflake>[0] = {}): Promise<Snowflake> {
  return startSnowflake({ publicKeys: { LOADER: PUBLIC_KEY }, tokens: ['pat-1', 'oauth-1'], ...options });
}

/** A stand-in that answers check after check as a conformance suite asks for. */
export function snowflakeBackend(protocol: 'driver' | 'sqlApi') {
  return async (script: readonly BackendAnswer[], clock: VirtualClock): Promise<SnowflakeBackend> => {
    const checks = new CheckScript(script, () => clock.now());
    const snowflake = await startAccount({ checks });
    return {
      snowflake,
      connections: connectionsTo(snowflake),
      checks: () => checks.checks,
      callers: () => snowflake[protocol].callers,
      submitted: () => snowflake.queries.submitted,
      cancelled: () => snowflake.queries.cancelled,
      close: () => snowflake.stop(),
    };
  };
}
