import type { Connection } from '@windhover/core';
import { AwsConnectionError } from './aws-connection-error.ts';

/** What a connection of type `aws` says: `login` is the access key id, `password` the secret, the rest is in `extra`. */
export interface ConnectionSettings {
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
  readonly profileName?: string;
  readonly regionName?: string;
  readonly endpointUrl?: string;
  readonly roleArn?: string;
  readonly roleSessionName?: string;
  readonly externalId?: string;
}

export function connectionSettings(connection: Connection): ConnectionSettings {
  const { connId, login, password, extra } = connection;
  const settings: Record<string, string> = {};
  for (const [field, value] of Object.entries(extra)) {
    checkName(connId, field);
    if (typeof value !== 'string') throw new AwsConnectionError(connId, field, 'it is not a text');
    if (value !== '') settings[field] = value;
  }
  if ((login === undefined) !== (password === undefined)) {
    const [field, other] = login === undefined ? ['login', 'password'] : ['password', 'login'];
    throw new AwsConnectionError(connId, field, `it is empty although ${other} is set; an access key has both parts`);
  }
  if (settings.endpointUrl !== undefined && !URL.canParse(settings.endpointUrl))
    throw new AwsConnectionError(connId, 'endpointUrl', 'it is not a URL such as https://s3.example.com');
  return {
    ...settings,
    ...(login === undefined || password === undefined ? {} : { accessKeyId: login, secretAccessKey: password }),
  };
}

const EXTRA_FIELDS = [
  'endpointUrl',
  'externalId',
  'profileName',
  'regionName',
  'roleArn',
  'roleSessionName',
  'sessionToken',
];

/** A misspelt field would be ignored in silence, and the request would go to the wrong account or region. */
function checkName(connId: string, field: string): void {
  if (EXTRA_FIELDS.includes(field)) return;
  const camelCase = field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const advice = EXTRA_FIELDS.includes(camelCase) ? `write ${camelCase}` : `there are ${EXTRA_FIELDS.join(', ')}`;
  throw new AwsConnectionError(connId, field, `there is no such field; ${advice}`);
}
