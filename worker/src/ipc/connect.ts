import { asIpcMessage, type IpcChannel } from './ipc-channel.ts';
import { IpcClosedError } from './ipc-closed-error.ts';
import { Outbox } from './outbox.ts';
import { reviveError } from './revive-error.ts';

/**
 * What the other process serves, as an object whose methods call it. Arguments and results are plain JSON. Calls made in
 * one turn of the event loop travel in one message. When the channel breaks, all open calls reject with
 * `IpcClosedError`, and later ones at once. One for each channel and direction.
 *
 * ```ts
 * const taskApi = connect<TaskApi>(process as IpcChannel);
 * ```
 */
export function connect<T extends object>(channel: IpcChannel): T {
  const outbox = Outbox.of(channel);
  const pending = new Map<number, PromiseWithResolvers<unknown> & { readonly method: string }>();
  let lastId = 0;

  channel.on('message', (message) => {
    for (const [id, value, error] of asIpcMessage(message)?.answers ?? []) {
      const call = pending.get(id);
      pending.delete(id);
      if (error === undefined) call?.resolve(value);
      else call?.reject(reviveError(error));
    }
  });
  channel.on('disconnect', () => {
    for (const { method, reject } of pending.values()) reject(new IpcClosedError(method));
    pending.clear();
  });

  const call = (method: string, args: readonly unknown[]): Promise<unknown> => {
    if (!channel.connected) return Promise.reject(new IpcClosedError(method));
    const id = ++lastId;
    const answer = { ...Promise.withResolvers<unknown>(), method };
    pending.set(id, answer);
    const fail = (error?: unknown) => {
      pending.delete(id);
      answer.reject(error ?? new IpcClosedError(method));
    };
    outbox.add({ call: [id, method, args], fail });
    return answer.promise;
  };

  const methods = new Map<string, unknown>();
  return new Proxy({} as T, {
    get(_target, name) {
      // Not a promise: whoever returns this object from an async function would wait for ever.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      if (!methods.has(name)) methods.set(name, (...args: readonly unknown[]) => call(name, args));
      return methods.get(name);
    },
  });
}
