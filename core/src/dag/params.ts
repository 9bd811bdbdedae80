import type { Json } from '../json.ts';
import { InvalidOptionError } from '../operator/invalid-option-error.ts';
import { type Template, template } from '../template/template.ts';
import { ParamError } from './param-error.ts';

/** A value a run can be started with. Without a default each run must give it, unless it is optional. */
export interface Param<T extends Json = Json> {
  readonly type: ParamType;
  readonly default: T | null;
  /** Lets a run leave it out although it has no default; it is null then. Default: false. */
  readonly isOptional?: boolean;
  /** Default: any value of the type. */
  readonly enum?: readonly T[];
  /** For numbers. Default: no limit. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** For texts: a regular expression. Default: any. */
  readonly pattern?: string;
  /** Default: none. */
  readonly description?: string;
}

export type ParamType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

/** Either a full param, or just its default. */
export type ParamsInput = Readonly<Record<string, Param<any> | string | number | boolean>>;

type ParamValue<P> =
  P extends Param<infer T>
    ? T
    : P extends string
      ? string
      : P extends number
        ? number
        : P extends boolean
          ? boolean
          : Json;

/** The params of a DAG as arguments of its tasks. */
export type ParamOutputs<P extends ParamsInput> = { readonly [K in keyof P]: Template<ParamValue<P[K]>> };

/** ```ts params: { env: param('string', { default: 'dev', enum: ['dev', 'prod'] }), days: 7 } ``` */
export function param<Type extends ParamType>(
  type: Type,
  options: ParamOptions<ParamTypes[Type]> & { readonly isOptional: true },
): Param<ParamTypes[Type] | null>;
export function param<Type extends ParamType>(
  type: Type,
  options?: ParamOptions<ParamTypes[Type]>,
): Param<ParamTypes[Type]>;
export function param(type: ParamType, options: ParamOptions<any> = {}): Param<any> {
  return { type, default: null, ...options };
}

type ParamOptions<T extends Json> = Partial<Omit<Param<T>, 'type'>>;

interface ParamTypes {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  array: readonly Json[];
  object: { readonly [key: string]: Json };
}

export function normalizeParams(dagId: string, params: ParamsInput): Readonly<Record<string, Param>> {
  const normalized: Readonly<Record<string, Param>> = Object.fromEntries(
    Object.entries(params).map(([name, input]) => [
      name,
      typeof input === 'object' ? input : { type: typeof input as ParamType, default: input },
    ]),
  );
  for (const [name, param] of Object.entries(normalized)) {
    const problem = param.default === null ? undefined : problemOf(param, param.default);
    if (problem) throw new InvalidOptionError(`DAG "${dagId}"`, `params.${name}`, `its default: ${problem}`);
  }
  return normalized;
}

export function paramOutputs<P extends ParamsInput>(params: P): ParamOutputs<P> {
  return Object.fromEntries(
    Object.keys(params).map((name) => [name, template((context) => context.params[name])]),
  ) as ParamOutputs<P>;
}

/** Defaults with the conf of a run over them, checked. Keys of the conf that are no params are left alone. */
export function resolveParams(
  dagId: string,
  params: Readonly<Record<string, Param>>,
  conf: Readonly<Record<string, Json>>,
): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.entries(params).map(([name, param]) => {
      const value = Object.hasOwn(conf, name) ? conf[name]! : param.default;
      const problem = problemOf(param, value);
      if (problem) throw new ParamError(dagId, name, problem);
      return [name, value];
    }),
  );
}

function problemOf(param: Param, value: Json): string | undefined {
  if (value === null && param.isOptional) return undefined;
  if (value === null && param.default === null) return 'it has no default and the run does not give it';
  if (!hasType(param.type, value)) return `${JSON.stringify(value)} is not of the type ${param.type}`;
  if (param.enum && !param.enum.includes(value)) return `${JSON.stringify(value)} is none of ${param.enum.join(', ')}`;
  if (typeof value === 'number') {
    if (param.minimum !== undefined && value < param.minimum) return `${value} is less than ${param.minimum}`;
    if (param.maximum !== undefined && value > param.maximum) return `${value} is more than ${param.maximum}`;
  }
  if (typeof value === 'string' && param.pattern !== undefined && !new RegExp(param.pattern).test(value)) {
    return `"${value}" does not match ${param.pattern}`;
  }
  return undefined;
}

function hasType(type: ParamType, value: Json): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
