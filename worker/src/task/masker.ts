import type { ConnectionFields, Json, SerializedError } from '@windhover/core';

/**
 * Replaces secrets in what leaves a task. It knows the texts it was told, as they are and as they stand in a URI or in
 * JSON; a secret of several lines is known by each of its lines, because a log is read by lines.
 */
export class Masker {
  readonly #secrets = new Set<string>();
  #pattern: RegExp | null = null;

  add(secrets: Iterable<string>): void {
    const before = this.#secrets.size;
    for (const secret of secrets) {
      this.#addForms(secret, MIN_LENGTH);
      if (secret.includes('\n')) for (const line of secret.split(/\r?\n/)) this.#addForms(line.trim(), MIN_LINE_LENGTH);
    }
    if (this.#secrets.size === before) return;
    // Longest first, so that a secret which contains another one is hidden as a whole.
    const longestFirst = [...this.#secrets].sort((a, b) => b.length - a.length);
    this.#pattern = new RegExp(longestFirst.map(escapeForPattern).join('|'), 'g');
  }

  mask(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, '***') : text;
  }

  maskJson<T extends Json>(value: T): T {
    if (!this.#pattern) return value;
    return mapTexts(value, (text) => this.mask(text)) as T;
  }

  maskError(error: SerializedError): SerializedError {
    return this.maskJson(error as unknown as Json) as unknown as SerializedError;
  }

  #addForms(text: string, minLength: number): void {
    if (text.trim().length < minLength) return;
    for (const form of [text, encodeURIComponent(text.toWellFormed()), JSON.stringify(text).slice(1, -1)])
      this.#secrets.add(form);
  }
}

/** What of a connection must not be seen. */
export function connectionSecrets({ password, extra }: ConnectionFields): string[] {
  return [...(password ? [password] : []), ...secretsIn(extra ?? {})];
}

/** The secret texts of a structure: everything below a key that sounds like a secret. */
export function secretsIn(value: Json, isSecret = false): string[] {
  if (typeof value === 'string') return [...(isSecret ? [value] : []), ...embeddedSecrets(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, isSecret || isSensitiveName(key)));
}

/** Whether a variable or a field with this name is likely to hold a secret. */
export function isSensitiveName(name: string): boolean {
  return SENSITIVE.test(name);
}

/** What is shorter would be found everywhere, and the stars would then tell it. */
const MIN_LENGTH = 3;
const MIN_LINE_LENGTH = 8;
const SENSITIVE =
  /pass(word|wd|phrase)?$|secret|token|api_?-?key|access_?-?key|private|credential|authorization|keyfile/i;

/** Extra fields sometimes hold JSON as a text, such as the key file of a service account. */
function embeddedSecrets(text: string): string[] {
  if (!text.startsWith('{')) return [];
  try {
    return secretsIn(JSON.parse(text) as Json);
  } catch {
    return [];
  }
}

function mapTexts(value: Json, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapTexts(item, map)]));
}

/** `RegExp.escape`, which Node 22 does not have. */
function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
