import { dag, task } from '@windhover/core';

/** DAGs of tasks that do nothing, side by side. */
function wide(count: number) {
  return dag(`wide_${count}`, { maxActiveTasks: 100_000 }, () => {
    for (let n = 0; n < count; n += 1) task(`t${n}`, () => {});
  });
}

/** One after the other. */
function chained(count: number) {
  return dag(`chain_${count}`, { maxActiveTasks: 100_000 }, () => {
    let before = task('t0', () => {});
    for (let n = 1; n < count; n += 1) {
      const next = task(`t${n}`, () => {});
      before.before(next);
      before = next;
    }
  });
}

export const [wide100, wide500, wide1000, wide5000, wide10000] = [100, 500, 1000, 5000, 10_000].map(wide);
export const [chain20, chain200] = [20, 200].map(chained);
