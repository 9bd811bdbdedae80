/** What the exit code of `windhover` says. Scripts rely on these numbers. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  conflict: 5,
  unreachable: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failed: 'what was asked about has failed: a run, a backfill, a connection test, the health check',
  usage: 'the command was not understood, the configuration is wrong, or the server found its input wrong',
  notFound: 'there is no such DAG, run, task, …',
  refused: 'the server refused the token, or there is none',
  conflict: 'it exists already, or is in a state that does not allow it; the port is taken',
  unreachable: 'no server was found, or it or the database does not answer',
  interrupted: 'interrupted by Ctrl-C',
};

/** The part of `windhover --help` about them. */
export function exitCodesHelp(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return `\nExit codes:\n${names.map((name) => `  ${String(EXIT[name]).padEnd(4)} ${MEANINGS[name]}`).join('\n')}`;
}
