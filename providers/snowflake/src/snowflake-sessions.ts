import type { ConnectionSource } from '@windhover/core';
import { SnowflakeError } from './snowflake-error.ts';
import { NO_DATA, SnowflakeHook } from './snowflake-hook.ts';
import type { SnowflakeOverrides } from './snowflake-settings.ts';

/** Keeps one session of the driver, and makes a new one when Snowflake has ended it, as it does after hours. */
export class SnowflakeSessions {
  readonly #make: () => SnowflakeHook;
  #hook: SnowflakeHook | undefined;

  constructor(source: ConnectionSource, options: { snowflakeConnId: string; overrides: SnowflakeOverrides }) {
    this.#make = () => new SnowflakeHook(source, options.snowflakeConnId, options.overrides);
  }

  async use<T>(request: (hook: SnowflakeHook) => Promise<T>): Promise<T> {
    const isFresh = this.#hook === undefined;
    this.#hook ??= this.#make();
    try {
      return await request(this.#hook);
    } catch (error) {
      if (isFresh || !(error instanceof SnowflakeError && isSessionGone(error))) throw error;
      await this.close();
      this.#hook = this.#make();
      return request(this.#hook);
    }
  }

  async close(): Promise<void> {
    const hook = this.#hook;
    this.#hook = undefined;
    await hook?.close();
  }
}

/** Expired, invalid or gone, by the server's word or the driver's own. */
const SESSION_GONE = new Set(['390104', '390111', '390112', '390114', '390115', '407001', '407002', NO_DATA]);

function isSessionGone({ errorCode }: SnowflakeError): boolean {
  return errorCode !== undefined && SESSION_GONE.has(errorCode);
}
