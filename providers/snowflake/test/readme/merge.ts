import { dag } from '@windhover/core';
import { SnowflakeSensor, SnowflakeSqlApiOperator } from '@windhover/provider-snowflake';

export const merge = dag('merge', { schedule: '@daily', startDate: new Date('2026-01-01') }, () => {
  const staged = new SnowflakeSensor({ taskId: 'staged', sql: 'select count(*) from staging', pokeInterval: '5m' });
  const load = new SnowflakeSqlApiOperator({
    taskId: 'load',
    warehouse: 'LOAD',
    sql: 'begin; insert into orders select * from staging; delete from staging; commit;',
  });
  staged.before(load);
});
