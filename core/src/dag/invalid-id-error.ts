import { WindhoverError } from '../windhover-error.ts';

export class InvalidIdError extends WindhoverError {
  readonly code = 'E_INVALID_ID';
  readonly kind: string;
  readonly id: unknown;

  constructor(kind: 'DAG' | 'task' | 'task group', id: unknown) {
    super(
      `${typeof id === 'bigint' ? `${id}n` : (JSON.stringify(id) ?? String(id))} is not an id for a ${kind}: use 1 to 250 letters, digits, "_", "-"` +
        `${kind === 'task group' ? '' : ' and "."'}.`,
    );
    this.kind = kind;
    this.id = id;
  }
}

export function assertId(kind: 'DAG' | 'task' | 'task group', id: unknown): asserts id is string {
  const pattern = kind === 'task group' ? /^[A-Za-z0-9_-]{1,250}$/ : /^[A-Za-z0-9_.-]{1,250}$/;
  if (typeof id !== 'string' || !pattern.test(id)) throw new InvalidIdError(kind, id);
}
