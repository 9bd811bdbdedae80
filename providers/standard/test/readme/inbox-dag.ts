import { chain, dag, template } from '@windhover/core';
import { BashOperator, FileSensor, SqlOperator, TriggerDagRunOperator } from '@windhover/provider-standard';

export const inbox = dag('inbox', { schedule: '@daily', startDate: new Date('2026-01-01') }, () => {
  const day = template(({ logicalDate }) => logicalDate.toISOString().slice(0, 10));
  chain(
    new FileSensor({
      taskId: 'arrived',
      filepath: template(({ conf }) => `${conf.folder ?? '/data/in'}/*.csv`),
      stableFor: '30s',
      timeout: '8h',
    }),
    new BashOperator({ taskId: 'unpack', bashCommand: 'echo "loading $DAY"', env: { DAY: day } }),
    new SqlOperator({
      taskId: 'purge',
      connId: 'warehouse',
      sql: 'delete from sales where day = $1',
      parameters: [day],
    }),
    new TriggerDagRunOperator({ taskId: 'report', triggerDagId: 'report', waitForCompletion: true }),
  );
});
