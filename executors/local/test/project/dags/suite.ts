import { dag, TimeDeltaTrigger, task } from '@windhover/core';

const fail = () => {
  throw new Error('as it should');
};
const die = () => void process.kill(process.pid, 'SIGKILL');

export const suite = dag('suite', {}, () => {
  task('succeed', () => 1, { onFailure: () => {} });
  task('fail', fail, { onFailure: fail });
  task('defer', async (context) => context.defer('wait', new TimeDeltaTrigger({ delta: '1h' })));
  task('hang', async (context) => context.variable('gate'));
  task('die', die, { onFailure: die });
  task('large', () => 'x'.repeat(100));
});
