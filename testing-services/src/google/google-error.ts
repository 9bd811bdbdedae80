import type { StandInAnswer } from '../stand-in-server.ts';

/** An error in the form that all JSON APIs of Google share. */
export function googleError(code: number, reason: string, message: string): StandInAnswer {
  return { status: code, body: { error: { code, message, errors: [{ reason, message, domain: 'global' }] } } };
}

export const BUSY = googleError(503, 'backendError', 'The service is busy. Try again later.');
