import { BaseHook, type Connection, type ConnectionSource, type ConnectionTestResult } from '@windhover/core';
import { GoogleApiError } from './google-api-error.ts';
import { type GoogleCredentials, type GoogleOverrides, makeCredentials } from './google-auth.ts';

/** Credentials for Google Cloud from a connection: default credentials, a key file, impersonation, or none. */
export class GoogleHook extends BaseHook<GoogleCredentials> {
  static readonly connType = 'google_cloud_platform';
  readonly #overrides: GoogleOverrides;

  constructor(source: ConnectionSource, connId = 'google_cloud_default', overrides: GoogleOverrides = {}) {
    super(source, connId);
    this.#overrides = overrides;
  }

  protected async createClient(connection: Connection): Promise<GoogleCredentials> {
    try {
      return await makeCredentials(connection, this.#overrides);
    } catch (error) {
      throw new GoogleApiError('make credentials', this.connId, error);
    }
  }

  /** Lists one dataset of the project: that tells whether Google takes the credentials. */
  override async testConnection(): Promise<ConnectionTestResult> {
    try {
      const credentials = await this.client();
      const { projectId, apiEndpoint = 'https://bigquery.googleapis.com', authClient } = credentials;
      if (projectId === undefined) return { isSuccess: false, message: 'The connection names no project.' };
      const url = `${apiEndpoint}/bigquery/v2/projects/${projectId}/datasets?maxResults=1`;
      await callGoogle(this.connId, credentials, `list the datasets of project "${projectId}"`, () =>
        authClient.request({ url, timeout: 15_000 }),
      );
      return { isSuccess: true, message: `Google Cloud answers for project "${projectId}".` };
    } catch (error) {
      return { isSuccess: false, message: (error as Error).message };
    }
  }
}

/**
 * One request, its failure told as a `GoogleApiError`. After a 401 it is made once more with new tokens: a token may
 * expire or be revoked while a task waits.
 */
export async function callGoogle<T>(
  connId: string,
  credentials: GoogleCredentials,
  doing: string,
  request: () => Promise<T>,
): Promise<T> {
  for (let isRenewed = false; ; isRenewed = true) {
    try {
      return await request();
    } catch (thrown) {
      const error = new GoogleApiError(doing, connId, thrown);
      if (error.status !== 401 || isRenewed) throw error;
      credentials.renew();
    }
  }
}
