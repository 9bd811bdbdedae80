import type { CallOptions } from './execution-api-client.ts';

/** How a method is called over HTTP. */
export interface RemoteMethod<Args extends readonly unknown[] = any> {
  readonly isRepeatable: boolean;
  /** Of a long poll: how long the answer may take. Default: it comes at once. */
  waitMs?(...args: Args): number;
}

/** Every method of an interface: one that is added there does not compile until it is here. */
export type RemoteMethods<Api> = {
  readonly [Method in keyof Api]: Api[Method] extends (...args: infer Args) => Promise<unknown>
    ? RemoteMethod<Args>
    : never;
};

/** The platform takes a second call for the first, or it changes nothing. */
export const REPEATABLE = { isRepeatable: true } as const;
/** A second call could do it twice, or be answered otherwise than the first. */
export const ONCE = { isRepeatable: false } as const;

export type Send = (method: string, args: readonly unknown[], options: Omit<CallOptions, 'token'>) => Promise<unknown>;

/** An object with these methods; each is sent. */
export function remoteApi<Api extends object>(methods: RemoteMethods<Api>, send: Send): Api {
  const entries = Object.entries<RemoteMethod>(methods).map(([name, { isRepeatable, waitMs }]) => [
    name,
    (...args: unknown[]) => send(name, args, { isRepeatable, waitMs: waitMs?.(...args) ?? 0 }),
  ]);
  return Object.fromEntries(entries);
}
