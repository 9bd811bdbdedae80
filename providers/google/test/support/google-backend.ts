import type { BackendAnswer, JobBackend, VirtualClock } from '@windhover/core/testing';
import { CheckScript, type GoogleCloud, startGoogleCloud } from '@windhover/testing-services';

export const PROJECT = 'proj';

export interface GoogleBackend extends JobBackend {
  readonly google: GoogleCloud;
}

/** The connection that leads to a stand-in. */
export function connectionTo(google: GoogleCloud, extra: Record<string, string> = {}) {
  return {
    connType: 'google_cloud_platform',
    extra: { project: PROJECT, isAnonymous: 'true', apiEndpoint: google.url, ...extra },
  };
}

/** A stand-in that answers check after check as a conformance suite asks for. */
export function googleBackend(prepare: (google: GoogleCloud) => unknown = () => {}) {
  return async (script: readonly BackendAnswer[], clock: VirtualClock): Promise<GoogleBackend> => {
    const checks = new CheckScript(script, () => clock.now());
    const google = await startGoogleCloud({ checks });
    await prepare(google);
    return {
      google,
      connections: { google_cloud_default: connectionTo(google) },
      checks: () => checks.checks,
      callers: () => google.callers(),
      submitted: () => google.bigQuery.submitted,
      cancelled: () => google.bigQuery.cancelled,
      close: () => google.stop(),
    };
  };
}
