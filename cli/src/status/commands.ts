import type { Command } from 'commander';
import type { Health, HealthStatus, Job } from '../api-client/administration.ts';
import { ApiUnreachableError } from '../api-client/api-unreachable-error.ts';
import { EXIT } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { limitOption } from '../input/limit-option.ts';
import { formatDate } from '../output/format.ts';
import type { Colour } from '../output/output.ts';
import type { Session } from '../session.ts';
import { cliVersion } from '../version.ts';

/** `windhover jobs`, `health` and `version` */
export function addStatusCommands(program: Command, session: Session): void {
  program
    .command('jobs')
    .description('list the processes of the platform: schedulers, triggerers, …')
    .option('--type <type>', 'only those of this type')
    .option('--alive', 'only those that are alive')
    .addOption(limitOption())
    .addHelpText('after', examples('windhover jobs --alive', 'windhover jobs --type scheduler'))
    .action((options: JobsOptions) => listJobs(session, options));

  program
    .command('health')
    .description('say whether the server and its processes work; exit code 1 if not')
    .addHelpText('after', examples('windhover health', 'windhover health --json'))
    .action(() => showHealth(session));

  program
    .command('version')
    .description('print the version of this command, and of the server if there is one')
    .addHelpText('after', examples('windhover version'))
    .action(() => showVersion(session));
}

interface JobsOptions {
  readonly type?: string;
  readonly alive?: true;
  readonly limit: number;
}

async function listJobs({ api, output }: Session, { limit, ...filter }: JobsOptions): Promise<void> {
  const { items, hasMore } = await api.first<Job>(limit, '/jobs', { ...filter });
  output.table(items, {
    columns: [
      { title: 'ID', value: ({ id }) => id, align: 'right' },
      { title: 'TYPE', value: ({ type }) => type },
      { title: 'STATE', value: ({ state }) => state },
      {
        title: 'ALIVE',
        value: ({ isAlive }) => (isAlive ? 'yes' : 'no'),
        colour: ({ isAlive }) => aliveColour(isAlive),
      },
      { title: 'HOST', value: ({ hostname }) => hostname, isFlexible: true },
      { title: 'PID', value: ({ pid }) => pid, align: 'right' },
      { title: 'STARTED', value: ({ startedAt }) => formatDate(startedAt), isFlexible: true },
      { title: 'HEARTBEAT', value: ({ heartbeatAt }) => formatDate(heartbeatAt), isFlexible: true },
    ],
    empty: 'No jobs. Start them with: windhover standalone',
    hasMore,
  });
}

async function showHealth(session: Session): Promise<void> {
  const { api, output } = session;
  // An unhealthy server says so with a 503, which is an answer here.
  const health = await api.get<Health>('/health', {}, { accept: [503] });
  if (health.status !== 'healthy') session.exitCode = EXIT.failed;
  if (output.isJson) return output.document(health);
  const rows = (['database', 'scheduler', 'triggerer', 'dagProcessor'] as const).map((component) => ({
    component,
    alive: null,
    latestHeartbeat: null,
    ...health[component],
  }));
  output.table(rows, {
    columns: [
      { title: 'COMPONENT', value: ({ component }) => component },
      { title: 'STATUS', value: ({ status }) => status, colour: ({ status }) => HEALTH_COLOURS[status] },
      { title: 'ALIVE', value: ({ alive }) => alive, align: 'right' },
      { title: 'LATEST HEARTBEAT', value: ({ latestHeartbeat }) => formatDate(latestHeartbeat), isFlexible: true },
    ],
    empty: '',
  });
  output.line(`The server is ${output.paint(HEALTH_COLOURS[health.status], health.status)}.`);
}

const HEALTH_COLOURS: Readonly<Record<HealthStatus, Colour>> = { healthy: 'green', unhealthy: 'red', none: 'gray' };

async function showVersion(session: Session): Promise<void> {
  const version = { cli: cliVersion(), node: process.version, server: await serverVersion(session) };
  session.output.answer(version, ({ cli, node, server }) =>
    session.output.facts({ windhover: cli, node, server: server ?? 'none found' }),
  );
}

/** A server is not needed to ask this. */
async function serverVersion(session: Session): Promise<string | null> {
  try {
    return (await session.api.get<{ version: string }>('/version')).version;
  } catch (error) {
    if (error instanceof ApiUnreachableError) return null;
    throw error;
  }
}

function aliveColour(isAlive: boolean): Colour {
  return isAlive ? 'green' : 'gray';
}
