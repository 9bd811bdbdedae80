import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { SnowflakeSettings } from './snowflake-settings.ts';

/** A token that Snowflake takes for a user whose public key it knows. */
export async function makeKeyPairJwt(settings: SnowflakeSettings, lifeTimeMs: number): Promise<string> {
  const { SignJWT } = await import('jose');
  const { privateKey: pem = '', password } = settings;
  const key = createPrivateKey({ key: pem, format: 'pem', ...(password ? { passphrase: password } : {}) });
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const subject = `${accountName(settings.account)}.${settings.user ?? ''}`.toUpperCase();
  const issuedAt = Math.floor(Date.now() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(`${subject}.SHA256:${createHash('sha256').update(publicKey).digest('base64')}`)
    .setSubject(subject)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + Math.floor(lifeTimeMs / 1000))
    .sign(key);
}

/** Without its region: `xy12345.eu-central-1` signs as `XY12345`. */
function accountName(account: string): string {
  return account.split(account.includes('.global') ? '-' : '.')[0]!;
}
