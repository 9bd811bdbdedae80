import { isPlainObject } from './plain-object.ts';

export const MASK = '***';

/** A value for people to read, as JSON, without what its name or its form says is secret. */
export function showMasked(key: string, value: unknown): string {
  return JSON.stringify(maskSecrets(key.split('.').at(-1)!, value), (_name, item) =>
    typeof item === 'function' ? `[function ${item.name}]` : typeof item === 'bigint' ? `${item}` : item,
  );
}

function maskSecrets(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => maskSecrets(name, item));
  if (isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskSecrets(key, item)]));
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  if (SECRET_NAME.test(name)) return MASK;
  return typeof value === 'string' ? maskUrl(value) : value;
}

const SECRET_NAME = /passw|passphrase|secret|token|credential|(^|_|[a-z])key$|dsn$/i;

/** Hides the password of a URL: behind the user's name, or as a parameter. */
function maskUrl(text: string): string {
  return text
    .replace(/(:\/\/[^:@/\s]*:)\S*@/g, `$1${MASK}@`)
    .replace(/([?&][^=&\s]*(?:passw|secret|token|key)[^=&\s]*=)[^&\s]*/gi, `$1${MASK}`);
}
