// Every public name of @windhover/provider-google. Services have subpaths of their own: /bigquery and /gcs.

export { GoogleApiError } from './google-api-error.ts';
export type { GoogleCredentials, GoogleOverrides } from './google-auth.ts';
export { GoogleHook } from './google-hook.ts';
