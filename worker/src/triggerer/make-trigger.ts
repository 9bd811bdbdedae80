import { BaseTrigger, deserialize, type Json } from '@windhover/core';
import type { ClassLoader } from '../loader/class-loader.ts';
import { ClasspathKindError } from '../loader/classpath-kind-error.ts';

export type AnyTrigger = BaseTrigger<any, any>;

/** Makes a trigger from its row. Rejects with the loader's error where its class is not to be found. */
export async function makeTrigger(loader: ClassLoader, classpath: string, kwargs: Json): Promise<AnyTrigger> {
  const found = await loader.load(classpath);
  // By brand: the class may come from another copy of core.
  const isTriggerClass = typeof found === 'function' && BaseTrigger.isInstance(found.prototype);
  if (!isTriggerClass) throw new ClasspathKindError(classpath, 'a class that extends BaseTrigger');
  return new (found as new (kwargs: unknown) => AnyTrigger)(deserialize(kwargs));
}
