import { dag, TimeDeltaTrigger, task, waitFor } from '@windhover/core';

// Waits three times, and holds no worker while it does: as an element of the graph, inside a function, and as a sensor.
export const patience = dag('patience', { tags: ['example'] }, () => {
  const pause = waitFor('pause', new TimeDeltaTrigger({ delta: '5s' }));
  const twice = task('twice', async (context) => {
    const order = await context.step('order', () => `order-${Math.floor(Math.random() * 1000)}`);
    context.log.info(`${order} was placed; this worker is free until it arrives`);
    const at = await context.defer('arrival', new TimeDeltaTrigger({ delta: '5s' }));
    return `${order} arrived at ${at.toISOString()}`;
  });
  const say = task('say', (context, { text }) => context.log.info(text), { inputs: { text: twice.output } });
  pause.before(twice);
  twice.before(say);
});
