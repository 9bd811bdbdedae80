/** The known text that is most like a mistyped one; undefined where none is like it. */
export function nearest(text: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  // More than half of it different is another word, not a slip.
  let bestDistance = Math.max(2, Math.ceil(text.length / 2));
  for (const candidate of known) {
    const distance = editDistance(text.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Levenshtein's: how many letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
