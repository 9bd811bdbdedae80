import {
  BaseOperator,
  type Context,
  type Duration,
  type TaskDeferred,
  type TriggerContext,
  type TriggerEvent,
} from '@windhover/core';
import { type WebhookCall, WebhookTrigger, webhookSignalKey } from './webhook-trigger.ts';

export interface WebhookSensorArgs {
  /** For the whole wait; then the task fails, and retries apply. Default: none. */
  readonly timeout?: Duration;
}

/**
 * Waits until the task's own URL is called; the result is the call. There is nothing to look at in between, so it has no
 * modes: it waits in the triggerer.
 */
// TODO(issue 7): not exported until the platform has signals, and a route that turns a call into one (see the README).
export class WebhookSensor extends BaseOperator<WebhookCall, WebhookSensorArgs> {
  async execute(context: Context): Promise<WebhookCall> {
    return this.defer(this.waiting(context));
  }

  override startTrigger(context: TriggerContext): TaskDeferred {
    return this.deferral(this.waiting(context));
  }

  executeComplete(_context: Context, event: TriggerEvent<WebhookCall>): WebhookCall {
    return event.payload;
  }

  private waiting(context: TriggerContext) {
    const { timeout } = this.args;
    const trigger = new WebhookTrigger({ key: webhookSignalKey(context) });
    return { trigger, methodName: 'executeComplete', ...(timeout === undefined ? {} : { timeout }) };
  }
}
