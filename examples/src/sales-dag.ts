import { branch, chain, dag, param, TimeDeltaTrigger, task, taskGroup, waitFor } from '@windhover/core';

export const sales = dag(
  'sales',
  { schedule: '@daily', startDate: new Date('2026-01-01'), params: { region: param('string', { default: 'north' }) } },
  ({ params }) => {
    const rows = task('extract', async () => [3, 4, 5], { retries: 2, retryDelay: '1m' });
    const pause = waitFor('settle', new TimeDeltaTrigger({ delta: '30m' }));
    const total = task('total', (_context, { rows }) => rows.reduce((sum, row) => sum + row, 0), {
      inputs: { rows: rows.output },
    });
    const which = branch('which', (_context, { total }) => (total > 10 ? 'publish' : 'note'), {
      inputs: { total: total.output },
    });
    const publish = taskGroup('publish', () => {
      task('mail', (context, { region }) => context.log.info(`to ${region}`), { inputs: { region: params.region } });
    });
    chain(rows, pause, total);
    which.before([publish, task('note', () => {})]);
  },
);
