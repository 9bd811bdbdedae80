/** A span of time for people, by its two largest units: `2 h 5 min`. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.slice(0, 2).join(' ');
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;
