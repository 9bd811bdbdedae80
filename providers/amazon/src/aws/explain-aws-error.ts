import { isTransientError } from '@windhover/core';
import { AwsError, type AwsErrorKind } from './aws-error.ts';

export interface AwsCall {
  readonly service: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly endpoint: string | undefined;
  /** The connection in use; null: that of the machine. */
  readonly connId: string | null;
}

/** Turns what the vendor's client threw into an error that says with which thing it happened and what to do. */
export function explainAwsError(thrown: unknown, call: AwsCall): unknown {
  if (isAbort(thrown) || !(thrown instanceof Error)) return thrown;
  const awsCode = codeOf(thrown);
  const statusCode = (thrown as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  const kind = kindOf(thrown, awsCode, statusCode);
  const { service, operation } = call;
  const what = `${service} ${operation}${describeTarget(call.input)}`;
  const said = SAYS_NOTHING.includes(thrown.message) ? awsCode : `${awsCode}: ${thrown.message.replace(/\.$/, '')}`;
  const message = `${what} failed: ${said}. ${ADVICE[kind](call, awsCode)}`.trim();
  return new AwsError(message, { kind, service, operation, awsCode, statusCode }, thrown);
}

/** What the vendor's client says where the server says nothing. */
const SAYS_NOTHING: readonly string[] = ['', 'UnknownError'];
const NO_REGION = 'NoRegion';
const EXPIRED = /^(ExpiredToken|ExpiredTokenException|RequestExpired|TokenRefreshRequired)$/;
const WRONG_CREDENTIALS =
  /^(UnrecognizedClientException|InvalidClientTokenId|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidSignatureException|IncompleteSignature|MissingAuthenticationToken|AuthFailure|CredentialsProviderError)$/;
const THROTTLED =
  /Throttl|^(TooManyRequests|RequestLimitExceeded|SlowDown|BandwidthLimitExceeded|RequestTimeout|ConcurrentRunsExceeded|PriorRequestNotComplete|ProvisionedThroughputExceeded)/;
const NOT_FOUND = /NotFound|NoSuch|DoesNotExist/;

function kindOf(error: Error, code: string, status: number | undefined): AwsErrorKind {
  if (EXPIRED.test(code)) return 'expired';
  if (WRONG_CREDENTIALS.test(code)) return 'credentials';
  if (THROTTLED.test(code) || isTransientError(error) || code === 'ENOTFOUND') return 'transient';
  if (status === 401 || status === 403) return 'forbidden';
  return status === 404 || NOT_FOUND.test(code) ? 'notFound' : 'rejected';
}

const ADVICE: Record<AwsErrorKind, (call: AwsCall, code: string) => string> = {
  credentials: ({ connId }) =>
    connId === null
      ? 'Check the credentials of the machine: environment, profile or role.'
      : `Check login (access key id) and password (secret access key) of connection "${connId}", or its role and profile.`,
  expired: ({ connId }) => `Put fresh credentials into ${nameOf(connId)}; a roleArn there renews them by itself.`,
  forbidden: ({ service, operation, connId }) =>
    `Allow the user or role of ${nameOf(connId)} to do ${service} ${operation} there, and check that the name is right.`,
  transient: ({ endpoint, connId }, code) =>
    /^E[A-Z]+$/.test(code)
      ? `Check the network${endpoint ? `, and the endpointUrl ${endpoint} of connection "${connId}"` : ' and the region'}.`
      : 'It usually passes.',
  notFound: () => 'Check the name, the region and the account.',
  rejected: ({ connId }, code) =>
    code === NO_REGION ? `Set regionName of ${nameOf(connId)} or of the task, or AWS_REGION.` : '',
};

function nameOf(connId: string | null): string {
  return connId === null ? "the machine's own AWS configuration" : `connection "${connId}"`;
}

/** `NoSuchBucket`, or the network's code, or what HTTP says where an answer has no body, as those to HEAD. */
function codeOf(error: Error): string {
  if (error.message === 'Region is missing') return NO_REGION;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && /^E[A-Z_]+$/.test(code)) return code;
  return error.name === 'Error' && typeof code === 'string' ? code : error.name;
}

const NAMING_FIELD = /(^Bucket|^Key|^jobs|^tasks|^cluster|Ids?|Names?|Arn)$/;

/** The names and ids of a request, so that the message says which bucket or job: ` (Bucket "in", Key "a.csv")`. */
function describeTarget(input: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(input).flatMap(([field, value]) => {
    if (!NAMING_FIELD.test(field)) return [];
    const texts = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string' && each !== '');
    return texts.length > 0 ? [`${field} ${texts.map((each) => JSON.stringify(each)).join(', ')}`] : [];
  });
  return named.length > 0 ? ` (${named.slice(0, 4).join(', ')})` : '';
}

function isAbort(thrown: unknown): boolean {
  return (thrown as { name?: unknown } | null)?.name === 'AbortError';
}
