/**
 * What PostgreSQL's programs see of our environment: no secrets, because the server outlives us, and no PG* variables,
 * which would change settings. Messages are English, because `launchPostmaster` reads some of them.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR'].filter((name) => process.env[name] !== undefined);
  return { ...Object.fromEntries(kept.map((name) => [name, process.env[name]])), LC_ALL: 'C' };
}
