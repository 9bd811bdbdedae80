import { nearestName } from '../config/nearest-name.ts';

/** The names in the order of their likeness to the wanted one. */
export function nearestFirst(wanted: string, names: readonly string[]): readonly string[] {
  const rest = [...names];
  const sorted: string[] = [];
  while (rest.length > 0) {
    const nearest = nearestName(wanted, rest, Number.POSITIVE_INFINITY)!;
    sorted.push(...rest.splice(rest.indexOf(nearest), 1));
  }
  return sorted;
}
