import { WindhoverError } from '@windhover/core';

/**
 * `unknownKey`: the key of this id is not there; `tampered`: not what was encrypted for this purpose; `format`: no
 * ciphertext at all.
 */
export type DecryptFailure = 'unknownKey' | 'tampered' | 'format';

export class DecryptError extends WindhoverError {
  readonly code = 'E_DECRYPT';
  readonly reason: DecryptFailure;
  readonly purpose: string;
  /** Null where the data is too short or too new to name its key. */
  readonly keyId: string | null;

  constructor(reason: DecryptFailure, purpose: string, keyId: string | null, options?: ErrorOptions) {
    super(`Cannot decrypt ${purpose}: ${EXPLANATIONS[reason](keyId)}`, options);
    this.reason = reason;
    this.purpose = purpose;
    this.keyId = keyId;
  }
}

const EXPLANATIONS: Record<DecryptFailure, (keyId: string | null) => string> = {
  unknownKey: (keyId) =>
    `it was encrypted with the key ${keyId}, which this process does not have. ` +
    'Add that key back to WINDHOVER_SECRET_KEYS, behind the first; it is needed until nothing is encrypted with it.',
  tampered: (keyId) =>
    `the key ${keyId} is there, but the data was changed after it was encrypted, or belongs to another row or column. ` +
    'Restore it from a backup, or write it anew.',
  format: () =>
    'this is no data that Windhover has encrypted, or a newer version has. Update this process, or write it anew.',
};
