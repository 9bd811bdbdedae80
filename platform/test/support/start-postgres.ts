// A process of its own for the tests that kill one. Starts the PostgreSQL of argv[2], says so in JSON, and stays.
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';

const { url, pid, isAdopted } = await startEmbeddedPostgres({ dataRoot: process.argv[2]! });
process.stdout.write(`${JSON.stringify({ url, pid, isAdopted })}\n`);
setInterval(() => {}, 60_000);
