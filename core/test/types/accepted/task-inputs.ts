import { chain, DateTimeTrigger, dag, param, task, template, waitFor } from '../../../src/index.ts';

export const flow = dag('flow', { params: { days: 7, env: param('string', { default: 'dev' }) } }, ({ params }) => {
  const rows = task('extract', async () => [1, 2, 3]);
  const sum = task('sum', (_context, { rows }) => rows.reduce((a, b) => a + b, 0), { inputs: { rows: rows.output } });
  const moment = waitFor('noon', new DateTimeTrigger({ moment: new Date() }));
  const report = task(
    'report',
    async (context, inputs: { sum: number; env: string; days: number; at: Date; deep: { label: string }[] }) => {
      context.log.info(`${inputs.sum} ${inputs.env}`);
    },
    {
      inputs: {
        sum: sum.output,
        env: params.env,
        days: params.days,
        at: moment.output,
        deep: [{ label: template(() => 'x') }],
      },
      retries: 1,
    },
  );
  task('mean', (_context, { rows, sum }) => sum / rows.length, {
    inputs: { rows: rows.output, sum: sum.output },
    retries: 2,
    triggerRule: 'all_done',
  });
  task('plain', () => 1, { retries: 2 });
  chain(rows, [sum, moment], report);
});
