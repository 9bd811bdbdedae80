import { type ExitReason, WindhoverError } from '@windhover/core';

/** The reason of `scope.signal` when a trigger is to stop in its process. */
export class TriggerStoppedError extends WindhoverError {
  readonly code = 'E_TRIGGER_STOPPED';
  readonly triggerId: string;
  readonly reason: ExitReason;

  constructor(triggerId: string, reason: ExitReason) {
    super(`Trigger ${triggerId} is to stop in this process: ${WORDS[reason]}. Let this error through.`);
    this.triggerId = triggerId;
    this.reason = reason;
  }
}

const WORDS: Readonly<Record<ExitReason, string>> = {
  fired: 'it has yielded its event',
  failed: 'it has failed',
  killed: 'its task will not come back',
  handedBack: 'it is handed back and goes on elsewhere',
  leaseLost: 'another triggerer may have it by now',
};
