import { branch, dag, task, taskGroup } from '@windhover/core';

// Every five minutes: retries, a branch, a group, and a rule that cleans up whatever happened.
export const orders = dag(
  'orders',
  { schedule: '*/5 * * * *', startDate: new Date('2026-01-01'), maxActiveRuns: 1, tags: ['example'] },
  () => {
    const fetched = task(
      'fetch',
      (context) => {
        // The first try fails now and then, as outside services do.
        if (context.tryNumber === 1 && Math.random() < 0.3) throw new Error('The shop does not answer.');
        return Array.from({ length: 5 }, (_, index) => ({ id: index + 1, amount: Math.round(Math.random() * 100) }));
      },
      { retries: 2, retryDelay: '2s' },
    );
    const total = task('total', (_context, { rows }) => rows.reduce((sum, { amount }) => sum + amount, 0), {
      inputs: { rows: fetched.output },
    });
    const which = branch('which', (_context, { sum }) => (sum > 200 ? 'good_day' : 'quiet_day'), {
      inputs: { sum: total.output },
    });
    const good = taskGroup('good_day', () => {
      task('mail', (context) => context.log.info('A good day.'));
    });
    const quiet = task('quiet_day', (context) => context.log.info('A quiet day.'));
    which.before([good, quiet]);
    const cleanUp = task('clean_up', (context) => context.log.info('Cleaned up.'), { triggerRule: 'all_done' });
    cleanUp.after([good, quiet]);
  },
);
