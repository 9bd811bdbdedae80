import { basename } from 'node:path';
import type { ConfigProblem } from './config-error.ts';
import type { ConfigFile } from './config-file.ts';
import {
  DATABASE_URL_VARIABLE,
  type ExecutorOption,
  isOtherVariable,
  KNOWN_VARIABLES,
  optionOf,
  PREFIX,
  SECRET_KEYS_VARIABLE,
  settingOf,
  variableOf,
} from './environment.ts';
import { showMasked } from './mask-secrets.ts';
import { nearestName } from './nearest-name.ts';
import { isPlainObject } from './plain-object.ts';
import { isSettingKey, KNOWN_EXECUTORS, SETTING_KEYS, SETTINGS } from './settings.ts';

export interface GivenSetting {
  readonly value: unknown;
  readonly source: 'file' | 'environment';
  /** The name of the file or of the variable. */
  readonly origin: string;
  /** Where it is no setting of ours but the option of an executor. */
  readonly option?: ExecutorOption;
}

/** By key: `api.port`, and `celery.brokerUrl` for the options of an executor. */
export type GivenSettings = Map<string, GivenSetting>;

type Environment = Readonly<Record<string, string | undefined>>;

/** What the file says, and over it what the environment says. Not yet checked, except that each thing has its place. */
export function readSettings(file: ConfigFile | null, env: Environment, problems: ConfigProblem[]): GivenSettings {
  const given: GivenSettings = new Map();
  const executors = executorsNamed(file, env);
  if (file) readFile(file, executors, given, problems);
  readEnvironment(env, executors, given, problems);
  return given;
}

function readFile(
  file: ConfigFile,
  executors: readonly string[],
  given: GivenSettings,
  problems: ConfigProblem[],
): void {
  const origin = basename(file.path);
  const give = (key: string, value: unknown, option?: ExecutorOption) => {
    if (value !== undefined) given.set(key, { value, source: 'file', origin, ...(option && { option }) });
  };
  const fail = (key: string, message: string) => problems.push({ key, origin, message });
  for (const [name, content] of Object.entries(file.content)) {
    const isSection = SECTIONS.includes(name);
    if (isSettingKey(name)) give(name, content);
    else if (!isSection && !executors.includes(name))
      fail(name, `"${name}" is no setting. ${hintForKey(name, '', [...new Set([...TOP_LEVEL, ...executors])])}`);
    else if (isPlainObject(content)) {
      for (const [option, value] of Object.entries(content)) {
        const key = `${name}.${option}`;
        if (isSettingKey(key)) give(key, value);
        else if (!isSection) give(key, value, { executor: name, name: option });
        else fail(key, `"${key}" is no setting. ${hintForKey(option, `${name}.`, keysOf(name))}`);
      }
    } else if (content !== undefined) {
      const expected = isSection ? `an object with ${keysOf(name).join(', ')}` : 'an object with options';
      fail(name, `"${name}" is ${showMasked(name, content)}; expected ${expected}.`);
    }
  }
}

function readEnvironment(
  env: Environment,
  executors: readonly string[],
  given: GivenSettings,
  problems: ConfigProblem[],
): void {
  if (env[DATABASE_URL_VARIABLE] && env[variableOf('database.url')])
    problems.push({
      key: 'database.url',
      origin: DATABASE_URL_VARIABLE,
      message: `${variableOf('database.url')} is set, too. Set one of the two.`,
    });
  for (const [variable, text] of Object.entries(env)) {
    // An empty variable is how a compose file leaves one out.
    if (!variable.startsWith(PREFIX) || !text || isOtherVariable(variable) || variable === SECRET_KEYS_VARIABLE)
      continue;
    const setting = settingOf(variable);
    const option = setting === null ? optionOf(variable, executors) : null;
    if (setting !== null && isSettingKey(setting))
      given.set(setting, { value: SETTINGS[setting].fromText(text.trim()), source: 'environment', origin: variable });
    else if (option !== null && !SECTIONS.includes(option.executor))
      given.set(`${option.executor}.${option.name}`, {
        value: jsonOrText(text),
        source: 'environment',
        origin: variable,
        option,
      });
    else {
      const hint = hintForVariable(variable);
      if (hint) problems.push({ key: variable, origin: variable, message: `there is no such setting. ${hint}` });
    }
  }
}

const SECTIONS: readonly string[] = [
  ...new Set(SETTING_KEYS.filter((key) => key.includes('.')).map((key) => key.split('.')[0]!)),
];
const TOP_LEVEL: readonly string[] = [...SECTIONS, ...SETTING_KEYS.filter((key) => !key.includes('.'))];

function keysOf(section: string): string[] {
  return SETTING_KEYS.filter((key) => key.startsWith(`${section}.`)).map((key) => key.slice(section.length + 1));
}

/** The executors that may have options. Read before anything is checked, so each value is taken with care. */
function executorsNamed(file: ConfigFile | null, env: Environment): string[] {
  const { executor, executors } = file?.content ?? {};
  const inEnvironment = [env[variableOf('executor')], ...(env[variableOf('executors')] ?? '').split(',')];
  const named = [executor, ...(Array.isArray(executors) ? executors : []), ...inEnvironment];
  const names = named.filter((name): name is string => typeof name === 'string').map((name) => name.trim());
  return [...new Set([...KNOWN_EXECUTORS, ...names.filter((name) => name !== '')])];
}

function hintForKey(name: string, section: string, candidates: readonly string[]): string {
  if (/^secret_?keys?$/i.test(name)) return `Secret keys do not belong in a file: set ${SECRET_KEYS_VARIABLE}.`;
  const elsewhere = SETTING_KEYS.find((key) => key.endsWith(`.${name}`));
  if (elsewhere) return `Did you mean "${elsewhere}"?`;
  const nearest = nearestName(name, candidates);
  if (nearest) return `Did you mean "${section}${nearest}"?`;
  const others = section === '' ? ', and each executor that "executors" names' : '';
  return `There are: ${candidates.map((candidate) => `${section}${candidate}`).join(', ')}${others}.`;
}

/** Null where the variable may be somebody else's: it has not the form of a setting and resembles none. */
function hintForVariable(variable: string): string | null {
  const twoUnderscores = KNOWN_VARIABLES.find((known) => known.replace('__', '_') === variable);
  if (twoUnderscores) return `Did you mean ${twoUnderscores}, with two underscores?`;
  const hasForm = variable.includes('__');
  const names = KNOWN_VARIABLES.map((known) => known.slice(PREFIX.length));
  const nearest = nearestName(variable.slice(PREFIX.length), names, hasForm ? undefined : 1);
  if (nearest) return `Did you mean ${PREFIX}${nearest}?`;
  return hasForm ? `Settings begin with: ${SECTIONS.map((name) => `${variableOf(name)}__`).join(', ')}.` : null;
}

/** Options of executors have no table here: `8` is a number, `true` a boolean, and other text is text. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
