import type { Command } from 'commander';
import type { Pool } from '../api-client/administration.ts';
import { path } from '../api-client/path.ts';
import { examples } from '../help.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { count, shellWord } from '../output/format.ts';
import type { Session } from '../session.ts';

export function addPoolCommands(program: Command, session: Session): void {
  const pools = program.command('pools').description('pools, which bound how many tasks run at once');

  pools
    .command('list')
    .description('list the pools')
    .addHelpText('after', examples('windhover pools list'))
    .action(() => listPools(session));

  pools
    .command('show')
    .description('show a pool')
    .argument('<name>')
    .addHelpText('after', examples('windhover pools show default_pool'))
    .action((name: string) => showPool(session, name));

  pools
    .command('set')
    .description('create a pool, or change it')
    .argument('<name>')
    .argument('<slots>', 'how many tasks may run in it at once; -1 is no limit', wholeNumber(-1))
    .option('--include-deferred', 'tasks that wait deferred hold their slots')
    .option('--description <text>')
    .addHelpText('after', examples('windhover pools set warehouse 8 --description "queries of the warehouse"'))
    .action((name: string, slots: number, options: PoolOptions) => setPool(session, name, slots, options));

  pools
    .command('delete')
    .description('delete a pool')
    .argument('<name>')
    .addHelpText('after', examples('windhover pools delete warehouse'))
    .action((name: string) => deletePool(session, name));
}

interface PoolOptions {
  readonly includeDeferred?: true;
  readonly description?: string;
}

async function listPools({ api, output }: Session): Promise<void> {
  output.table(await api.all<Pool>('/pools'), {
    columns: [
      { title: 'POOL', value: ({ name }) => name },
      { title: 'SLOTS', value: ({ slots }) => (slots < 0 ? 'no limit' : slots), align: 'right' },
      { title: 'OCCUPIED', value: ({ occupiedSlots }) => occupiedSlots, align: 'right' },
      { title: 'DEFERRED', value: ({ deferredTasks }) => deferredTasks, align: 'right' },
      { title: 'DEFERRED COUNT', value: ({ includeDeferred }) => (includeDeferred ? 'yes' : 'no') },
      { title: 'DESCRIPTION', value: ({ description }) => description, isFlexible: true },
    ],
    empty: 'No pools.',
  });
}

async function showPool({ api, output }: Session, name: string): Promise<void> {
  output.answer(await api.get<Pool>(path`/pools/${name}`), (pool) =>
    output.facts({
      pool: pool.name,
      slots: slotsText(pool.slots),
      occupied: String(pool.occupiedSlots),
      deferred: `${count(pool.deferredTasks, 'task')}, ${pool.includeDeferred ? 'holding their slots' : 'without slots'}`,
      description: pool.description,
    }),
  );
}

async function setPool({ api, output }: Session, name: string, slots: number, options: PoolOptions): Promise<void> {
  const pool = await api.put<Pool>(path`/pools/${name}`, { slots, ...options });
  output.answer(pool, () => {
    output.line(`Pool ${name} has ${slotsText(slots)}.`);
    output.next(`windhover pools show ${shellWord(name)}`);
  });
}

async function deletePool({ api, output }: Session, name: string): Promise<void> {
  await api.delete(path`/pools/${name}`);
  output.answer({ deleted: name }, () => output.line(`Deleted pool ${name}.`));
}

function slotsText(slots: number): string {
  return slots < 0 ? 'slots without limit' : count(slots, 'slot');
}
