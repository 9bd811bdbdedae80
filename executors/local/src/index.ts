// Every public name of @windhover/executor-local. `test/public-api.test.ts` pins this list.

export { LocalExecutor, type LocalExecutorOptions } from './local-executor.ts';
