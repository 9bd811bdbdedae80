import { DATABASE_URL_VARIABLE, SECRET_KEYS_VARIABLE, variableOf } from './environment.ts';
import { MASK, showMasked } from './mask-secrets.ts';
import type { GivenSettings } from './read-settings.ts';
import type { ResolvedConfig } from './resolved-config.ts';
import { isSettingKey, SETTING_KEYS, SETTINGS } from './settings.ts';

/** A line of `windhover config list`. */
export interface ConfigEntry {
  /** `api.port` */
  readonly key: string;
  /** As JSON, written as in the file; secrets are masked. */
  readonly value: string;
  readonly source: 'default' | 'file' | 'environment';
  /** The name of the file or of the variable it came from; null for a default. */
  readonly origin: string | null;
  /** The environment variable that would set it. */
  readonly variable: string;
}

/** Every setting with its value and where that came from. */
export function configEntries(config: ResolvedConfig): ConfigEntry[] {
  const given = origins.get(config);
  if (!given) throw new TypeError('configEntries takes what loadConfig has answered, not a copy of it.');
  const options = [...given.keys()].filter((key) => !isSettingKey(key));
  const settings = SETTING_KEYS.filter((key) => key !== 'executor');
  const entries = [...settings, ...options].map((key): ConfigEntry => {
    const found = given.get(key);
    const value = found ? found.value : isSettingKey(key) ? SETTINGS[key].default : null;
    return {
      key,
      value: showMasked(key, value),
      source: found?.source ?? 'default',
      origin: found?.origin ?? null,
      variable: key === 'database.url' ? DATABASE_URL_VARIABLE : variableOf(key),
    };
  });
  const secretKeys: ConfigEntry = {
    key: 'secretKeys',
    value: JSON.stringify(config.secretKeys === null ? null : MASK),
    source: config.secretKeys === null ? 'default' : 'environment',
    origin: config.secretKeys === null ? null : SECRET_KEYS_VARIABLE,
    variable: SECRET_KEYS_VARIABLE,
  };
  return [...entries, secretKeys];
}

/** Beside the configuration and not in it: nothing that reads a setting needs to know where it came from. */
const origins = new WeakMap<ResolvedConfig, GivenSettings>();

export function rememberOrigins(config: ResolvedConfig, given: GivenSettings): void {
  origins.set(config, given);
}
