import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PriorityQueue } from '../src/executor/priority-queue.ts';

const RUNS = { numRuns: 1000 };
// Few different priorities, so that equals are common.
const priority = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer());

function drain<T>(queue: PriorityQueue<T>): T[] {
  const items: T[] = [];
  while (queue.size > 0) items.push(queue.pop()!);
  return items;
}

test('items come out highest priority first, and in the order they came among equals', () => {
  fc.assert(
    fc.property(fc.array(priority, { maxLength: 60 }), (priorities) => {
      const queue = new PriorityQueue<{ priority: number; index: number }>();
      const items = priorities.map((each, index) => ({ priority: each, index }));
      for (const item of items) queue.push(item, item.priority);
      expect(queue.size).toBe(items.length);
      expect(drain(queue)).toStrictEqual(items.toSorted((a, b) => b.priority - a.priority));
    }),
    RUNS,
  );
});

test('pushing and popping in turns gives what a list sorted anew each time would give', () => {
  const step = fc.oneof(priority, fc.constant('pop' as const));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const queue = new PriorityQueue<number>();
      const model: { priority: number; index: number }[] = [];
      for (const [index, each] of steps.entries()) {
        if (each === 'pop') {
          model.sort((a, b) => b.priority - a.priority || a.index - b.index);
          expect(queue.pop()).toBe(model.shift()?.index);
        } else {
          model.push({ priority: each, index });
          queue.push(index, each);
        }
        expect(queue.size).toBe(model.length);
      }
    }),
    RUNS,
  );
});

test('an empty queue gives undefined, and takes items again afterwards', () => {
  const queue = new PriorityQueue<string>();
  expect(queue.pop()).toBeUndefined();
  queue.push('a', 1);
  expect(queue.pop()).toBe('a');
  expect(queue.pop()).toBeUndefined();
  expect(queue.size).toBe(0);
});
