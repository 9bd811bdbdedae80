import type { JsonSchema } from '../dag/serialized-dag.ts';

/**
 * What a package offers, as data: the platform knows providers by it and never loads their code. A package declares it
 * in `package.json`: `"windhover": { "manifest": "./provider.json" }`. `providerManifestSchema` is its JSON Schema.
 */
export interface ProviderManifest {
  readonly formatVersion: 1;
  /** The package's name. */
  readonly name: string;
  readonly description: string;
  /** The versions of core it works with, such as `>=0.3 <1`. */
  readonly coreRange: string;
  readonly connectionTypes?: readonly ConnectionTypeEntry[];
  readonly hooks?: readonly HookEntry[];
  readonly operators?: readonly ClassEntry[];
  readonly sensors?: readonly ClassEntry[];
  readonly triggers?: readonly TriggerEntry[];
  readonly executors?: readonly AliasedEntry[];
  readonly signalServices?: readonly AliasedEntry[];
  readonly secretsBackends?: readonly AliasedEntry[];
  readonly xcomBackends?: readonly AliasedEntry[];
  readonly logStores?: readonly AliasedEntry[];
  /** Functions that `runInThread` may call. */
  readonly functions?: readonly ClassEntry[];
  /** Former classpaths and what they are called now, so that stored rows still resolve. */
  readonly aliases?: Readonly<Record<string, string>>;
}

export interface ClassEntry {
  readonly classpath: string;
  /** The first paragraph of its comment. */
  readonly doc?: string;
}

export interface TriggerEntry extends ClassEntry {
  /** The JSON Schema of its kwargs. */
  readonly kwargs?: JsonSchema;
  readonly isShareable?: boolean;
}

export interface HookEntry extends ClassEntry {
  readonly connType: string;
}

/** Something the configuration may name by a short alias. */
export interface AliasedEntry extends ClassEntry {
  readonly alias: string;
}

export interface ConnectionTypeEntry {
  readonly connType: string;
  readonly label: string;
  readonly hook: string;
  /** Which of the standard fields its form shows, and under which name. */
  readonly standardFields?: Readonly<Partial<Record<'host' | 'port' | 'login' | 'password' | 'schema', string>>>;
  /** The JSON Schema of its extra fields; `"format": "password"` marks a secret. */
  readonly extra?: JsonSchema;
}
