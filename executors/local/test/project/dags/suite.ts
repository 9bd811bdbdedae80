import { dag, TimeDeltaTrigger, task } from '@windhover/core';

export const suite = dag('suite', {}, () => {
  task('succeed', () => 1);
  task('fail', () => {
    throw new Error('as it should');
  });
  task('defer', async (context) => context.defer('wait', new TimeDeltaTrigger({ delta: '1h' })));
  task('hang', async (context) => context.variable('gate'));
  task('die', () => void process.kill(process.pid, 'SIGKILL'));
});
