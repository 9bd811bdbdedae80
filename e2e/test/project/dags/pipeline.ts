import { chain, dag, task } from '@windhover/core';

export const pipeline = dag('pipeline', { params: { factor: 2 } }, ({ params }) => {
  const rows = task('extract', async (context) => {
    context.log.info('extracting');
    return [1, 2, 3];
  });
  const sum = task('sum', (_context, { rows, factor }) => rows.reduce((a, b) => a + b, 0) * factor, {
    inputs: { rows: rows.output, factor: params.factor },
  });
  const flaky = task(
    'flaky',
    (context) => {
      if (context.tryNumber < 3) throw new Error(`try ${context.tryNumber} fails`);
      return 'third time lucky';
    },
    { retries: 2, retryDelay: '10ms' },
  );
  const broken = task('broken', () => Promise.reject(new Error('for ever')));
  chain(rows, [flaky, broken]);
  task('clean_up', () => 'cleaned', { triggerRule: 'all_done' }).after([sum, flaky, broken]);
});

export const failing = dag('failing', {}, () => {
  chain(
    task('dies', () => process.kill(process.pid, 'SIGKILL'), { retries: 1, retryDelay: '10ms' }),
    task('never', () => 'no'),
  );
});

export const wide = dag('wide', { maxActiveTasks: 1000 }, () => {
  for (let i = 0; i < 200; i += 1) task(`t${i}`, () => i);
});
