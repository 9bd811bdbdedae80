import { serializeError } from '@windhover/core';
import { asIpcMessage, type IpcCall, type IpcChannel } from './ipc-channel.ts';
import { Outbox } from './outbox.ts';

/**
 * Answers the calls that `connect` makes at the other end of a channel. Calls of one message begin in their order; each
 * is answered when it is ready, and answers that are ready in one turn travel together.
 */
export function serve<T extends object>(channel: IpcChannel, implementation: T): void {
  const outbox = Outbox.of(channel);
  const refuse = (id: number, error: unknown) =>
    // When not even that can be sent, the channel is closed, and nobody waits any more.
    outbox.add({ answer: [id, null, serializeError(error)], fail: () => {} });
  const answer = async ([id, method, args]: IpcCall) => {
    try {
      const value = await callMethod(implementation, method, args);
      outbox.add({ answer: [id, value], fail: (error) => error !== undefined && refuse(id, error) });
    } catch (error) {
      refuse(id, error);
    }
  };
  channel.on('message', (message) => {
    for (const call of asIpcMessage(message)?.calls ?? []) void answer(call);
  });
}

function callMethod(implementation: object, method: string, args: readonly unknown[]): unknown {
  const found = (implementation as Record<string, unknown>)[method];
  if (typeof found === 'function' && !Object.hasOwn(Object.prototype, method)) return found.apply(implementation, args);
  throw new TypeError(`The other process called "${method}", which is not served here. Do both run the same version?`);
}
