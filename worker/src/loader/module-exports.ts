/**
 * What a module exports, by name. Of a CommonJS module Node sees only the names it can guess from the text, so the
 * members of `module.exports` count as well. Inherited names such as `constructor` never do.
 */
export function moduleExports(module: object): ReadonlyMap<string, unknown> {
  const found = new Map(Object.entries(module));
  const whole = (module as { readonly default?: unknown }).default;
  const isCommonJs = found.delete('module.exports') || isEsModuleObject(whole);
  found.delete('__esModule');
  if (isCommonJs && isObject(whole)) {
    for (const [name, value] of Object.entries(whole))
      if (!found.has(name) && name !== '__esModule') found.set(name, value);
  }
  return found;
}

function isEsModuleObject(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, '__esModule');
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
