import { BaseSensor, type ChecksBefore, type TriggerContext } from '@windhover/core';
import { sensorWaitKwargs } from '../sensor-wait.ts';
import { FileTrigger } from './file-trigger.ts';
import { type FileQuery, findFiles } from './find-files.ts';

/**
 * Waits for files on a disk that worker and triggerer both see; the result are their paths.
 *
 * ```ts
 * new FileSensor({ taskId: 'wait', filepath: '/data/in/*.csv', minSize: 1, stableFor: '30s' });
 * ```
 */
export class FileSensor extends BaseSensor<readonly string[], FileQuery> {
  async poke(context: TriggerContext) {
    const files = await findFiles(this.args, context.now());
    return { isDone: files.length > 0, xcom: files };
  }

  protected override waitTrigger(context: TriggerContext, before: ChecksBefore): FileTrigger {
    const { filepath, minSize, stableFor, softFail = false } = this.args;
    return new FileTrigger({
      filepath,
      ...(minSize === undefined ? {} : { minSize }),
      ...(stableFor === undefined ? {} : { stableFor }),
      ...sensorWaitKwargs(this.pollOptions(context, before), softFail),
    });
  }
}
