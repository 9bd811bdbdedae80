import type { Json } from '@windhover/core';
import { type Command, Option } from 'commander';
import type { Backfill } from '../api-client/backfills.ts';
import { path } from '../api-client/path.ts';
import { examples } from '../help.ts';
import { date } from '../input/date.ts';
import { jsonObject } from '../input/json-object.ts';
import { limitOption } from '../input/limit-option.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Session } from '../session.ts';
import { followBackfill } from './follow-backfill.ts';
import { planBackfill } from './plan-backfill.ts';
import { changeBackfill, listBackfills, showBackfill } from './show-backfill.ts';

export function addBackfillCommands(program: Command, session: Session): void {
  const backfill = program
    .command('backfill')
    .description('Runs a DAG for dates of the past.')
    .summary('runs for dates of the past: create, follow, pause, resume')
    .usage('<dagId> --from <date> --to <date> [options]\n       windhover backfill <command>')
    .addHelpText(
      'after',
      `\nWithout a command it is \`create\`. Ctrl-C pauses a backfill that is being followed.\n${examples(
        'windhover backfill hello --from 2026-01-01 --to 2026-01-31',
        'windhover backfill hello --from 2026-01-01 --to 2026-01-31 --dry-run',
        'windhover backfill create --help',
      )}`,
    );

  backfill
    .command('create', { isDefault: true })
    .description('create a backfill and follow it to its end; exit code 1 if a run fails')
    .argument('<dagId>')
    .requiredOption('--from <date>', 'the first logical date, such as 2026-01-01', date)
    .requiredOption('--to <date>', 'the last logical date; it is included', date)
    .option('--reverse', 'the newest date first')
    .addOption(new Option('--rerun-failed', 'run again what has failed for these dates').conflicts('rerunAll'))
    .option('--rerun-all', 'run again whatever exists for these dates')
    .option('--max-active-runs <n>', 'how many runs at once (default: 10)', wholeNumber(1))
    .option('--conf <json>', 'an object the tasks find in their context', jsonObject)
    .option('--dry-run', 'say which runs there would be, and create nothing')
    .option('--detach', 'do not follow it')
    .addHelpText(
      'after',
      examples(
        'windhover backfill hello --from 2026-01-01 --to 2026-01-31',
        'windhover backfill hello --from 2026-01-01 --to 2026-01-31 --reverse --rerun-failed --max-active-runs 4',
        'windhover backfill hello --from 2026-01-01T06:00:00Z --to 2026-01-02 --dry-run',
      ),
    )
    .action((dagId: string, options: CreateOptions) => createBackfill(session, dagId, options));

  backfill
    .command('list')
    .description('list backfills, the newest first')
    .option('--dag <dagId>', 'only those of this DAG')
    .addOption(limitOption())
    .addHelpText('after', examples('windhover backfill list --dag hello'))
    .action(({ dag, limit }) => listBackfills(session, dag, limit));

  const ofOne = (verb: string, description: string) =>
    backfill
      .command(verb)
      .description(description)
      .argument('<id>', 'its number, as `windhover backfill list` shows it', wholeNumber(1))
      .addHelpText('after', examples(`windhover backfill ${verb} 7`));

  ofOne('show', 'show a backfill and its progress').action((id: number) => showBackfill(session, id));
  ofOne('pause', 'start no further runs of a backfill').action((id: number) => changeBackfill(session, id, 'pause'));
  ofOne('resume', 'go on with a paused backfill, and follow it to its end')
    .option('--detach', 'do not follow it')
    .action((id: number, { detach }) =>
      detach
        ? changeBackfill(session, id, 'resume')
        : followBackfill(session, () => session.api.post<Backfill>(path`/backfills/${id}/resume`)),
    );
  ofOne('cancel', 'end a backfill for good').action((id: number) => changeBackfill(session, id, 'cancel'));
}

interface CreateOptions {
  readonly from: string;
  readonly to: string;
  readonly reverse?: true;
  readonly rerunFailed?: true;
  readonly rerunAll?: true;
  readonly maxActiveRuns?: number;
  readonly conf?: Readonly<Record<string, Json>>;
  readonly dryRun?: true;
  readonly detach?: true;
}

async function createBackfill(session: Session, dagId: string, options: CreateOptions): Promise<void> {
  const { api, output } = session;
  const { from, to, maxActiveRuns, conf } = options;
  const reprocess = options.rerunAll ? 'all' : options.rerunFailed ? 'failed' : 'none';
  const request = { dagId, from, to, isReverse: options.reverse === true, reprocess, maxActiveRuns, conf };
  if (options.dryRun) return planBackfill(session, request);
  const create = async () => {
    const backfill = await api.post<Backfill>('/backfills', request);
    output.line(`Created backfill ${backfill.id} of ${dagId}.`);
    return backfill;
  };
  if (!options.detach) return followBackfill(session, create);
  const backfill = await create();
  if (output.isJson) output.document(backfill);
  output.next(`windhover backfill show ${backfill.id}`, `windhover backfill pause ${backfill.id}`);
}
