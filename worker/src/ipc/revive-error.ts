import * as core from '@windhover/core';
import { IpcClosedError } from './ipc-closed-error.ts';

/**
 * Makes an error of what `serializeError` gave: name, message, code, stack and cause are those of the other process. One
 * of core's own classes gets its prototype back, so that its `isInstance` says yes; its other fields did not travel.
 */
export function reviveError(serialized: core.SerializedError): Error {
  const { name, message, code, stack, isRetryable, cause } = serialized;
  const error = new Error(message, cause === undefined ? undefined : { cause: reviveError(cause) });
  const known = code === undefined ? undefined : ERROR_CLASSES.get(name);
  if (known) Object.setPrototypeOf(error, known.prototype);
  const facts = { name, code, isRetryable, stack };
  for (const [key, value] of Object.entries(facts)) {
    if (value !== undefined) Object.defineProperty(error, key, { value, configurable: true, writable: true });
  }
  return error;
}

type ErrorClass = { readonly name: string; readonly prototype: object };

const ERROR_CLASSES = new Map(
  ([...Object.values(core), IpcClosedError] as unknown[])
    .filter(
      (value): value is ErrorClass => typeof value === 'function' && value.prototype instanceof core.WindhoverError,
    )
    .map((errorClass) => [errorClass.name, errorClass]),
);
