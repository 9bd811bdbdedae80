import { BaseHook } from '@windhover/core';

/** Named after what they do, as the suite does. */
export class succeed extends BaseHook<number> {
  protected createClient(): number {
    return 1;
  }
}

export class fail extends BaseHook<never> {
  protected createClient(): never {
    throw new Error('as it should');
  }
}

export class die extends BaseHook<never> {
  protected createClient(): Promise<never> {
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => {});
  }
}
