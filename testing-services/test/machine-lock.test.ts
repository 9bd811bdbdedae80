import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { withMachineLock } from '../src/machine-lock.ts';

const name = () => `test-${crypto.randomUUID()}`;

test('two holders of a lock never run together', async () => {
  const lock = name();
  let inside = 0;
  let most = 0;
  const hold = () =>
    withMachineLock(lock, async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    });
  await Promise.all([hold(), hold(), hold()]);
  expect(most).toBe(1);
});

test('a lock whose holder was killed is free', async () => {
  const lock = name();
  const source = new URL('../src/machine-lock.ts', import.meta.url).href;
  const program = `import(${JSON.stringify(source)}).then(({ withMachineLock }) =>
    withMachineLock(${JSON.stringify(lock)}, () => { process.send('held'); return new Promise(() => setInterval(() => {}, 1000)); }))`;
  const holder = fork('-e', [program], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(holder, 'message');
  const taken = withMachineLock(lock, async () => 'ours');
  holder.kill('SIGKILL');
  expect(await taken).toBe('ours');
});

test('an error inside frees the lock', async () => {
  const lock = name();
  await expect(withMachineLock(lock, () => Promise.reject(new Error('inside')))).rejects.toThrow('inside');
  expect(await withMachineLock(lock, async () => 'ours')).toBe('ours');
});
