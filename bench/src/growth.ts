// The cost of a finished task in small and large DAGs: `pnpm bench growth`.
import { createScene } from './scene.ts';

const scene = await createScene(4);
await scene.run('wide_500');
const rows = [];
for (const tasks of [100, 500, 1000, 5000, 10_000]) {
  const { seconds, statements, transactions } = await scene.run(`wide_${tasks}`);
  rows.push({
    tasks,
    tasksPerSecond: Math.round(tasks / seconds),
    msPerTask: Number(((1000 * seconds) / tasks).toFixed(3)),
    statementsPerTask: Number((statements / tasks).toFixed(2)),
    commitsPerTask: Number((transactions / tasks).toFixed(2)),
  });
}
console.table(rows);
for (const tasks of [20, 200]) {
  const { seconds } = await scene.run(`chain_${tasks}`);
  console.log(`chain of ${tasks}: ${((1000 * seconds) / tasks).toFixed(2)} ms a step`);
}
await scene.close();
