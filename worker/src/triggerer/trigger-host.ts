import type {
  SubmitAnswer,
  SubmittedEvent,
  TriggerApi,
  TriggerLease,
  TriggerProgress,
  TriggerRelease,
} from '@windhover/core';

/**
 * What a `TriggerRunner` needs from its surroundings: a triggerer's supervisor at the other end of a channel, or whoever
 * runs triggers in its own process. A call that answers `StaleEpochError` ends the trigger here.
 */
export interface TriggerHost
  extends Pick<
    TriggerApi,
    'saveCheckpoint' | 'connection' | 'variable' | 'getXCom' | 'log' | 'sendSignal' | 'listenSignal' | 'runStates'
  > {
  /** Resolves when the event is stored. What fails in passing is the host's to try again. */
  submit(event: SubmittedEvent): Promise<SubmitAnswer>;
  /** The trigger is over in this runner without an event. */
  release(lease: TriggerLease, release: TriggerRelease): Promise<void>;
  progress(lease: TriggerLease, progress: TriggerProgress): Promise<void>;
}
