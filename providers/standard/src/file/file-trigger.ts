import { BaseTrigger, type TriggerScope } from '@windhover/core';
import { type SensorWaitKwargs, waitAsSensor } from '../sensor-wait.ts';
import { type FileQuery, findFiles } from './find-files.ts';

export interface FileTriggerKwargs extends FileQuery, SensorWaitKwargs {}

/** Looks for files and ends its task when there are some; the result are their paths. */
export class FileTrigger extends BaseTrigger<never, FileTriggerKwargs> {
  static override readonly classpath = '@windhover/provider-standard#FileTrigger';
  static override readonly shareable = true;

  async *run(scope: TriggerScope) {
    yield await waitAsSensor(scope, this.kwargs, async () => {
      const files = await findFiles(this.kwargs, scope.now());
      return files.length > 0 ? files : undefined;
    });
  }
}
