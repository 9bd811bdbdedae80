import { TaskFailed } from '../operator/task-failed.ts';
import { BaseTrigger } from '../trigger/base-trigger.ts';
import { nextWaitMs } from '../trigger/poll.ts';
import { TaskFailedEvent, TaskSkippedEvent, TaskSuccessEvent } from '../trigger/trigger-event.ts';
import type { TaskReference, TriggerScope } from '../trigger/trigger-scope.ts';
import type { BaseSensor, ChecksBefore } from './base-sensor.ts';

/** Which sensor, and how many checks were made on a worker. */
export interface SensorTriggerKwargs extends TaskReference, ChecksBefore {}

/**
 * Calls the `poke` of a sensor in the triggerer. It names the task, not the class: the sensor comes from its DAG file,
 * with functions and all. What it finds ends the task there; no worker is needed for it.
 */
export class SensorTrigger extends BaseTrigger<never, SensorTriggerKwargs> {
  static override readonly classpath = '@windhover/core#SensorTrigger';

  async *run(scope: TriggerScope): AsyncGenerator<TaskSuccessEvent | TaskFailedEvent | TaskSkippedEvent> {
    const { operator, context } = await scope.loadTask(this.kwargs);
    const sensor = operator as BaseSensor<unknown, any>;
    const { checksBefore, failuresBefore } = this.kwargs;
    const options = sensor.pollOptions(context, { checksBefore, failuresBefore });
    try {
      // The worker has just looked; looking again at once would cost a request and find the same.
      if (checksBefore > 0) await scope.sleep(nextWaitMs(options, checksBefore - 1, scope.now()));
      yield new TaskSuccessEvent((await scope.poll(() => sensor.check(context), options)).xcom);
    } catch (thrown) {
      const error = sensor.failure(thrown);
      if (!TaskFailed.isInstance(error)) throw error;
      yield sensor.args.softFail ? new TaskSkippedEvent(error.message) : new TaskFailedEvent(error);
    }
  }
}
