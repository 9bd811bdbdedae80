import { brandPrototype, hasBrand } from '../brand.ts';
import { WindhoverError } from '../windhover-error.ts';

/** Whoever gets this has been overtaken: its hand-off, lease or lock belongs to somebody else now. It must stop. */
export class StaleEpochError extends WindhoverError {
  readonly code = 'E_STALE_EPOCH';
  readonly subject: string;
  readonly epoch: number;

  static {
    brandPrototype(StaleEpochError.prototype, 'StaleEpochError');
  }

  constructor(subject: string, epoch: number) {
    super(
      `${subject} is no longer held under epoch ${epoch}: it was handed on, cleared or stopped meanwhile. Nothing was changed; stop working on it.`,
    );
    this.subject = subject;
    this.epoch = epoch;
  }

  static isInstance(value: unknown): value is StaleEpochError {
    return hasBrand(value, 'StaleEpochError');
  }
}
