import type { IncomingMessage } from 'node:http';

export interface Operation {
  readonly operation: string;
  readonly input: Readonly<Record<string, any>>;
  readonly protocol: 'json' | 'rest' | 'query';
}

/** Which operation a request means, in whichever of the three ways AWS services are asked. */
export function readOperation(incoming: IncomingMessage, body: string): Operation {
  const target = incoming.headers['x-amz-target'];
  if (typeof target === 'string') {
    return { operation: target.slice(target.lastIndexOf('.') + 1), input: parse(body), protocol: 'json' };
  }
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  for (const { method, path, operation } of REST_OPERATIONS) {
    const match = incoming.method === method ? path.exec(decodeURIComponent(url.pathname)) : null;
    if (!match) continue;
    const query = Object.fromEntries(url.searchParams);
    const headers = { invocationType: incoming.headers['x-amz-invocation-type'] };
    const content = operation === 'Invoke' ? { payload: body } : parse(body);
    return { operation, input: { ...content, ...query, ...headers, ...match.groups }, protocol: 'rest' };
  }
  const form = Object.fromEntries(new URLSearchParams(body));
  return { operation: form.Action ?? `${incoming.method} ${url.pathname}`, input: form, protocol: 'query' };
}

/** Those of the services with paths, which are Batch, EMR Serverless and Lambda. */
const REST_OPERATIONS: readonly { readonly method: string; readonly path: RegExp; readonly operation: string }[] = [
  { method: 'POST', path: /^\/v1\/submitjob$/, operation: 'SubmitJob' },
  { method: 'POST', path: /^\/v1\/describejobs$/, operation: 'DescribeJobs' },
  { method: 'POST', path: /^\/v1\/terminatejob$/, operation: 'TerminateJob' },
  { method: 'POST', path: /^\/applications\/(?<applicationId>[^/]+)\/jobruns$/, operation: 'StartServerlessJobRun' },
  {
    method: 'GET',
    path: /^\/applications\/(?<applicationId>[^/]+)\/jobruns\/(?<jobRunId>[^/]+)$/,
    operation: 'GetServerlessJobRun',
  },
  {
    method: 'DELETE',
    path: /^\/applications\/(?<applicationId>[^/]+)\/jobruns\/(?<jobRunId>[^/]+)$/,
    operation: 'CancelServerlessJobRun',
  },
  { method: 'POST', path: /^\/2015-03-31\/functions\/(?<functionName>[^/]+)\/invocations$/, operation: 'Invoke' },
  { method: 'GET', path: /^\/2015-03-31\/functions\/(?<functionName>[^/]+)$/, operation: 'GetFunction' },
];

function parse(body: string): Record<string, any> {
  return body === '' ? {} : (JSON.parse(body) as Record<string, any>);
}
