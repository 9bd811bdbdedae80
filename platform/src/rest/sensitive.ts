import type { Json } from '@windhover/core';

export const MASK = '***';

/** Whether a variable or a field with this name is likely to hold a secret. The worker's masker has the same rule. */
export function isSensitiveName(name: string): boolean {
  return SENSITIVE.test(name);
}

/** The same structure with stars in place of everything below a name that sounds like a secret. */
export function maskSecrets(value: Json): Json {
  if (typeof value === 'string') return value.startsWith('{') ? maskText(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(maskSecrets);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSensitiveName(name) ? MASK : maskSecrets(item)]),
  );
}

/** Extra fields sometimes hold JSON as a text, such as the key file of a service account. */
function maskText(text: string): string {
  try {
    return JSON.stringify(maskSecrets(JSON.parse(text) as Json));
  } catch {
    return text;
  }
}

const SENSITIVE =
  /pass(word|wd|phrase)?$|secret|token|api_?-?key|access_?-?key|private|credential|authorization|keyfile/i;
