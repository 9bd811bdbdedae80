import { dag, param, task } from '@windhover/core';

// Runs once by itself when the platform first starts.
export const hello = dag(
  'hello',
  { schedule: '@once', params: { name: param('string', { default: 'world' }) }, tags: ['example'] },
  ({ params }) => {
    const greeting = task('greet', (_context, { name }) => `Hello, ${name}!`, { inputs: { name: params.name } });
    const length = task('count', (_context, { text }) => text.length, { inputs: { text: greeting.output } });
    task('report', (context, { text, count }) => context.log.info(`"${text}" has ${count} letters`), {
      inputs: { text: greeting.output, count: length.output },
    });
  },
);
