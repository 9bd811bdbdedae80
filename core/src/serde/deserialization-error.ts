import { WindhoverError } from '../windhover-error.ts';

/** Stored data has a tag this version of core does not know. */
export class DeserializationError extends WindhoverError {
  readonly code = 'E_DESERIALIZE';
  readonly tag: string;

  constructor(tag: string) {
    super(
      `Cannot read stored data: unknown tag "${tag}". It was written by a newer version of @windhover/core, ` +
        'or by hand; update core in this process, or write the data with serialize().',
    );
    this.tag = tag;
  }
}
