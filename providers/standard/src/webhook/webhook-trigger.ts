import {
  BaseTrigger,
  formatTaskInstanceKey,
  type Json,
  type TaskInstanceKey,
  TriggerEvent,
  type TriggerScope,
} from '@windhover/core';

/** A call of a task's URL, as the platform puts it into the value of a signal. */
export interface WebhookCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** The key of the signal that a call of a task's URL becomes. By attempt: a cleared task waits for a call of its own. */
export function webhookSignalKey(task: TaskInstanceKey & { readonly attempt: number }): string {
  return `webhook/${formatTaskInstanceKey(task)}/${task.attempt}`;
}

/** Fires when the URL of a task is called; the event is the call. */
export class WebhookTrigger extends BaseTrigger<WebhookCall, { key: string }> {
  static override readonly classpath = '@windhover/provider-standard#WebhookTrigger';

  async *run(scope: TriggerScope): AsyncGenerator<TriggerEvent<WebhookCall>> {
    // From the beginning of the log: the call may come before the task waits for it.
    for await (const { value } of scope.listenSignal(this.kwargs.key, { sinceOffset: '0' })) {
      yield new TriggerEvent(value as unknown as WebhookCall);
      return;
    }
    scope.signal.throwIfAborted();
  }
}
