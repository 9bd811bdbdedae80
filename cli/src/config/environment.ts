import { SETTING_KEYS } from './settings.ts';

export const PREFIX = 'WINDHOVER_';
export const DATABASE_URL_VARIABLE = 'WINDHOVER_DATABASE_URL';
export const SECRET_KEYS_VARIABLE = 'WINDHOVER_SECRET_KEYS';

/** `api.baseUrl` → `WINDHOVER_API__BASE_URL` */
export function variableOf(key: string): string {
  return `${PREFIX}${key.split('.').map(toSnakeCase).join('__')}`;
}

/** Variables that belong to others: connections and variables defined in the environment. */
export function isOtherVariable(name: string): boolean {
  return /^WINDHOVER_(CONN|VAR)_/.test(name);
}

/** The setting that a variable sets, or null. */
export function settingOf(variable: string): string | null {
  return KEY_BY_VARIABLE.get(variable) ?? null;
}

/** `WINDHOVER_CELERY__BROKER_URL` → the option `brokerUrl` of the executor `celery` */
export function optionOf(variable: string, executors: readonly string[]): ExecutorOption | null {
  const executor = executors.find((name) => variable.startsWith(`${variableOf(name)}__`));
  if (executor === undefined) return null;
  const name = variable.slice(variableOf(executor).length + 2);
  return /^[A-Z0-9]+(_[A-Z0-9]+)*$/.test(name) ? { executor, name: toCamelCase(name) } : null;
}

export interface ExecutorOption {
  readonly executor: string;
  readonly name: string;
}

/** All variables that mean something; the short names first. */
export const KNOWN_VARIABLES: readonly string[] = [
  DATABASE_URL_VARIABLE,
  SECRET_KEYS_VARIABLE,
  ...SETTING_KEYS.map(variableOf),
];

const KEY_BY_VARIABLE: ReadonlyMap<string, string> = new Map([
  [DATABASE_URL_VARIABLE, 'database.url'],
  ...SETTING_KEYS.map((key): [string, string] => [variableOf(key), key]),
]);

function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}

function toCamelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
