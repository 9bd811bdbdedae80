/** All values at a place of an answer: names with dots, `[]` goes through a list. What is missing is left out. */
export function valuesAt(answer: unknown, path: string): readonly unknown[] {
  let found: unknown[] = [answer];
  for (const part of path.split('.')) {
    const name = part.replace(/\[\]$/, '');
    found = found.map((each) => (each as Record<string, unknown> | null | undefined)?.[name]);
    if (part !== name) found = found.flat();
  }
  return found.filter((each) => each !== undefined && each !== null);
}
