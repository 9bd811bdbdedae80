import type { Io } from '../io.ts';

/** A value that may be secret: `-` stands for standard input, because others can read the command line of a process. */
export async function secretValue(io: Io, given: string): Promise<string> {
  if (given !== '-') return given;
  // The newline that `echo` and editors add is not part of a secret.
  return (await io.readStdin()).replace(/\r?\n$/, '');
}
