import type { Json } from '../json.ts';

/** A condition on a signal's value, as data: the platform evaluates it without running anybody's code. */
export type Predicate =
  | { readonly op: ComparisonOp; readonly path: string; readonly value: Json }
  | { readonly op: 'in'; readonly path: string; readonly values: readonly Json[] }
  | { readonly op: 'exists'; readonly path: string }
  | { readonly op: 'and' | 'or'; readonly predicates: readonly Predicate[] }
  | { readonly op: 'not'; readonly predicate: Predicate };

type ComparisonOp = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';

/** Compares the value itself, or the field at a dotted path of it: `gt(5)`, `gt('error.rate', 0.05)`. */
type Compare = {
  (value: Json): Predicate;
  (path: string, value: Json): Predicate;
};

export const eq: Compare = comparison('eq');
export const ne: Compare = comparison('ne');
export const gt: Compare = comparison('gt');
export const gte: Compare = comparison('gte');
export const lt: Compare = comparison('lt');
export const lte: Compare = comparison('lte');

/** One of some values: `oneOf(['ok', 'fine'])`, `oneOf('status', ['ok', 'fine'])`. */
export function oneOf(values: readonly Json[]): Predicate;
export function oneOf(path: string, values: readonly Json[]): Predicate;
export function oneOf(...args: [readonly Json[]] | [string, readonly Json[]]): Predicate {
  const [path, values] = args.length === 1 ? ['', args[0]] : args;
  return { op: 'in', path, values };
}

export function exists(path: string): Predicate {
  return { op: 'exists', path };
}

export function and(...predicates: Predicate[]): Predicate {
  return { op: 'and', predicates };
}

export function or(...predicates: Predicate[]): Predicate {
  return { op: 'or', predicates };
}

export function not(predicate: Predicate): Predicate {
  return { op: 'not', predicate };
}

/** Numbers compare as numbers and texts as texts; different types are neither greater nor smaller. */
export function evaluatePredicate(predicate: Predicate, value: Json): boolean {
  switch (predicate.op) {
    case 'and':
      return predicate.predicates.every((each) => evaluatePredicate(each, value));
    case 'or':
      return predicate.predicates.some((each) => evaluatePredicate(each, value));
    case 'not':
      return !evaluatePredicate(predicate.predicate, value);
    case 'exists':
      return at(value, predicate.path) !== undefined;
    case 'in':
      return predicate.values.some((each) => isEqual(at(value, predicate.path), each));
    case 'eq':
      return isEqual(at(value, predicate.path), predicate.value);
    case 'ne':
      return !isEqual(at(value, predicate.path), predicate.value);
    default:
      return isOrdered(predicate.op, at(value, predicate.path), predicate.value);
  }
}

function comparison(op: ComparisonOp): Compare {
  return ((...args: [Json] | [string, Json]): Predicate =>
    args.length === 1 ? { op, path: '', value: args[0] } : { op, path: args[0], value: args[1] }) as Compare;
}

function at(value: Json, path: string): Json | undefined {
  if (path === '') return value;
  return path.split('.').reduce<Json | undefined>((current, key) => {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    return (current as Record<string, Json>)[key];
  }, value);
}

function isOrdered(op: 'gt' | 'gte' | 'lt' | 'lte', left: Json | undefined, right: Json): boolean {
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) return false;
  const [a, b] = [left, right as typeof left];
  return op === 'gt' ? a > b : op === 'gte' ? a >= b : op === 'lt' ? a < b : a <= b;
}

function isEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [a, b] = [left as Record<string, Json>, right as Record<string, Json>];
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}
