/**
 * Brands replace `instanceof` for everything that crosses packages: a project may hold two copies of core (one of its
 * own, one below a provider), and `instanceof` says no to the other copy's objects. `Symbol.for` is shared by both.
 */
export function brandPrototype(prototype: object, name: string): void {
  Object.defineProperty(prototype, brandSymbol(name), { value: true });
}

export function hasBrand(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brandSymbol(name)] === true;
}

/** A value that all copies of core in this process share. */
export function sharedInProcess<T>(name: string, make: () => T): T {
  const globals = globalThis as Record<symbol, unknown>;
  const symbol = brandSymbol(name);
  globals[symbol] ??= make();
  return globals[symbol] as T;
}

function brandSymbol(name: string): symbol {
  return Symbol.for(`windhover.${name}`);
}
