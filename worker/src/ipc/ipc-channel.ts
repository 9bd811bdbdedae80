import type { SerializedError } from '@windhover/core';

/** What both ends of a child process's IPC channel have: a `ChildProcess` in the parent, `process` in the child. */
export interface IpcChannel {
  readonly connected: boolean;
  send(message: object, callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** One message, plain JSON: all calls that one end made in a turn of its event loop, and all answers it had. */
export interface IpcMessage {
  readonly calls?: readonly IpcCall[];
  readonly answers?: readonly IpcAnswer[];
}

export type IpcCall = readonly [id: number, method: string, args: readonly unknown[]];

/** A refusal has a third place: `[7, null, { name: 'TypeError', … }]`. */
export type IpcAnswer = readonly [id: number, value: unknown, error?: SerializedError];

/** Null for what others send through the channel, such as a library that greets its parent. */
export function asIpcMessage(message: unknown): IpcMessage | null {
  if (typeof message !== 'object' || message === null) return null;
  const { calls, answers } = message as IpcMessage;
  return Array.isArray(calls) || Array.isArray(answers) ? (message as IpcMessage) : null;
}
