import { dag, task } from '../../../src/index.ts';

export const flow = dag('flow', {}, () => {
  const count = task('count', async () => 42);
  // error: Type 'number' is not assignable to type 'string'
  task('shout', async (_context, { text }: { text: string }) => text.toUpperCase(), { inputs: { text: count.output } });
});
