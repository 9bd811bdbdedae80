import { WindhoverError } from '@windhover/core';

/** A trigger was alone in its process when that died, and had been in others that died before. */
export class TriggerRunnerLostError extends WindhoverError {
  readonly code = 'E_TRIGGER_RUNNER_LOST';
  override readonly isRetryable = true;
  readonly triggerId: string;
  readonly classpath: string;
  readonly deaths: number;

  constructor(triggerId: string, classpath: string, deaths: number, why: string) {
    super(
      `Trigger ${triggerId} (${classpath}) was running in ${deaths} processes that died, in the last one alone. ${why} ` +
        'Look for a native module or for memory without bound, and move such work to a task.',
    );
    this.triggerId = triggerId;
    this.classpath = classpath;
    this.deaths = deaths;
  }
}
