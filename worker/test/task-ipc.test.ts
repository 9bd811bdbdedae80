import { EventEmitter } from 'node:events';
import { StaleEpochError, TaskFailed } from '@windhover/core';
import { expect, test } from 'vitest';
import { connect, type IpcChannel, IpcClosedError, serve } from '../src/index.ts';

/** Both ends of a channel that carries texts, as a real one does. */
class End extends EventEmitter implements IpcChannel {
  connected = true;
  readonly sent: string[] = [];
  other!: End;

  static pair(): [End, End] {
    const [a, b] = [new End(), new End()];
    a.other = b;
    b.other = a;
    return [a, b];
  }

  send(message: object): boolean {
    const text = JSON.stringify(message);
    this.sent.push(text);
    setImmediate(() => this.other.emit('message', JSON.parse(text)));
    return true;
  }

  disconnect(): void {
    for (const end of [this, this.other]) {
      end.connected = false;
      end.emit('disconnect');
    }
  }
}

class Calculator {
  async add(a: number, b: number): Promise<number> {
    return a + b;
  }

  async nothing(): Promise<void> {}

  async fail(error: 'stale' | 'failed' | 'plain' | 'bigint'): Promise<unknown> {
    if (error === 'stale') throw new StaleEpochError('Task instance 7', 3);
    if (error === 'failed') throw new TaskFailed('for good', { cause: new Error('below') });
    if (error === 'bigint') return 1n;
    throw new TypeError('plain');
  }

  hang(): Promise<never> {
    return new Promise(() => {});
  }
}

function connected(): { here: End; there: End; remote: Calculator } {
  const [here, there] = End.pair();
  serve(there, new Calculator());
  return { here, there, remote: connect<Calculator>(here) };
}

test('calls made in one turn travel in one message, and so do their answers', async () => {
  const { here, there, remote } = connected();
  const sums = await Promise.all(Array.from({ length: 50 }, (_, index) => remote.add(index, 1)));
  expect(sums).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  expect([here.sent.length, there.sent.length]).toEqual([1, 1]);
});

test('both ends call each other over one channel', async () => {
  const { here, there, remote } = connected();
  serve(here, { twice: async (n: number) => 2 * n });
  const back = connect<{ twice(n: number): Promise<number> }>(there);
  expect(await Promise.all([remote.add(1, 2), back.twice(4)])).toEqual([3, 8]);
});

test('an error keeps its class, code, stack and cause on the way', async () => {
  const { remote } = connected();
  const stale = await remote.fail('stale').catch((error: unknown) => error);
  expect(StaleEpochError.isInstance(stale)).toBe(true);
  expect(stale).toMatchObject({ name: 'StaleEpochError', code: 'E_STALE_EPOCH', isRetryable: false });
  expect((stale as Error).stack).toContain('Calculator.fail');
  const failed = await remote.fail('failed').catch((error: unknown) => error);
  expect(TaskFailed.isInstance(failed)).toBe(true);
  expect((failed as Error).cause).toMatchObject({ name: 'Error', message: 'below' });
  await expect(remote.fail('plain')).rejects.toMatchObject({ name: 'TypeError', message: 'plain' });
});

test('what is no JSON fails alone, as an argument and as an answer', async () => {
  const { remote } = connected();
  const [good, bad, worse] = await Promise.allSettled([
    remote.add(1, 1),
    remote.add(1n as unknown as number, 1),
    remote.fail('bigint'),
  ]);
  expect(good).toMatchObject({ status: 'fulfilled', value: 2 });
  expect([bad, worse].map((each) => each.status)).toEqual(['rejected', 'rejected']);
});

test('when the channel breaks, open and later calls reject with E_IPC_CLOSED', async () => {
  const { here, remote } = connected();
  const open = [remote.hang(), remote.hang()];
  await remote.nothing();
  const late = remote.add(1, 1);
  here.disconnect();
  for (const call of [...open, late, remote.add(1, 1)]) {
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(IpcClosedError);
    expect(error).toMatchObject({ code: 'E_IPC_CLOSED', isRetryable: true });
  }
});

test('what others send through the channel is left alone', async () => {
  const { here, there, remote } = connected();
  for (const message of ['ready', null, 7, { type: 'greeting' }]) {
    here.emit('message', message);
    there.emit('message', message);
  }
  expect(await remote.add(2, 3)).toBe(5);
});

test('a method that is not served, or that every object has, is refused', async () => {
  const { remote } = connected();
  const all = remote as unknown as { substract(): Promise<unknown>; toString(): Promise<unknown> };
  await expect(all.substract()).rejects.toThrow('The other process called "substract", which is not served here.');
  await expect(all.toString()).rejects.toThrow('which is not served here');
});
