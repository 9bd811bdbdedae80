// The entry of a thread that calls one function of users' code, which may block it.
import { parentPort, workerData } from 'node:worker_threads';
import { deserialize, type Json, type SerializedError, serialize, serializeError } from '@windhover/core';
import { createClassLoader } from '../loader/class-loader.ts';

export interface ThreadTask {
  readonly projectRoot: string;
  readonly classpath: string;
  readonly args: Json;
}

export interface ThreadAnswer {
  /** Undefined as the function's own answer, or because there is an error. */
  readonly value?: Json;
  readonly error?: SerializedError;
}

async function answer({ projectRoot, classpath, args }: ThreadTask): Promise<ThreadAnswer> {
  try {
    const found = await createClassLoader({ projectRoot }).load(classpath);
    if (typeof found !== 'function') throw new TypeError(`"${classpath}" is no function, so it cannot be called.`);
    const result = (await found(...deserialize<unknown[]>(args))) as unknown;
    return result === undefined ? {} : { value: serialize(result, `result of ${classpath}`) };
  } catch (error) {
    return { error: serializeError(error) };
  }
}

parentPort!.postMessage(await answer(workerData as ThreadTask));
