import { BaseTrigger, type TriggerScope } from '@windhover/core';
import { type SensorWaitKwargs, waitAsSensor } from '../sensor-wait.ts';
import { checkExternalState, type ExternalStateQuery } from './external-state.ts';

export interface ExternalTaskTriggerKwargs extends ExternalStateQuery, SensorWaitKwargs {}

/** Looks at tasks or runs of another DAG and ends its own task when they are as they are waited for. */
export class ExternalTaskTrigger extends BaseTrigger<never, ExternalTaskTriggerKwargs> {
  static override readonly classpath = '@windhover/provider-standard#ExternalTaskTrigger';
  static override readonly shareable = true;

  async *run(scope: TriggerScope) {
    yield await waitAsSensor(scope, this.kwargs, () => checkExternalState(this.kwargs, scope));
  }
}
