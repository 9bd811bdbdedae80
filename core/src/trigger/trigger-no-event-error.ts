import { WindhoverError } from '../windhover-error.ts';

export class TriggerNoEventError extends WindhoverError {
  readonly code = 'E_TRIGGER_NO_EVENT';
  readonly classpath: string;

  constructor(classpath: string) {
    super(
      `The trigger ${classpath} ended without an event, so its task would wait for ever. ` +
        'Its run() must yield a TriggerEvent on every path, or throw.',
    );
    this.classpath = classpath;
  }
}
