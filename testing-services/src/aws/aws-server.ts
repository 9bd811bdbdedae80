import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsFault } from './aws-fault.ts';
import { toQueryXml } from './query-xml.ts';
import { readOperation } from './read-operation.ts';

/** What the server was asked. */
export interface AwsRequest {
  /** As the vendor calls it: `SubmitJob`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, any>>;
  /** The access key id that signed the request; empty without a signature. */
  readonly accessKeyId: string;
  readonly region: string;
  /** `s3`, `batch`, …, as the signature names the service. */
  readonly service: string;
}

/** Answers an operation, or throws an `AwsFault`. */
export type AwsHandler = (input: Readonly<Record<string, any>>, request: AwsRequest) => unknown;

export interface AwsServerOptions {
  readonly handlers: Readonly<Record<string, AwsHandler>>;
  /** Before each answer, in real time. Default: 0. */
  readonly latencyMs?: number;
  /** Called before each request is answered; what it throws or resets is the answer. Default: nothing. */
  readonly intercept?: (request: AwsRequest) => AwsFault | 'reset' | undefined;
}

export interface AwsServer {
  readonly endpoint: string;
  readonly requests: readonly AwsRequest[];
  stop(): Promise<void>;
}

/**
 * A server for the AWS protocols with JSON bodies and for the query protocol of STS, at which the vendor's own clients
 * can be pointed. It knows nothing of jobs: the handlers do.
 */
export async function startAwsServer(options: AwsServerOptions): Promise<AwsServer> {
  const requests: AwsRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, options, requests).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  { handlers, latencyMs, intercept }: AwsServerOptions,
  requests: AwsRequest[],
): Promise<void> {
  const body = await readBody(incoming);
  const { operation, input, protocol } = readOperation(incoming, body);
  const [, accessKeyId = '', region = '', service = ''] =
    /Credential=([^/]*)\/[^/]*\/([^/]*)\/([^/]*)\//.exec(incoming.headers.authorization ?? '') ?? [];
  const request: AwsRequest = { operation, input, accessKeyId, region, service };
  requests.push(request);
  if (latencyMs) await sleep(latencyMs);
  try {
    const fault = intercept?.(request);
    if (fault === 'reset') return void incoming.socket.resetAndDestroy();
    if (fault) throw fault;
    const handler = handlers[operation];
    if (!handler) throw new AwsFault('UnknownOperationException', `No operation "${operation}" here.`, 404);
    send(response, protocol, operation, 200, await handler(input, request));
  } catch (error) {
    const fault = error instanceof AwsFault ? error : new AwsFault('InternalFailure', String(error), 500);
    sendFault(response, protocol, fault);
  }
}

type Protocol = ReturnType<typeof readOperation>['protocol'];

function send(response: ServerResponse, protocol: Protocol, operation: string, status: number, output: unknown): void {
  const isRaw = output instanceof RawAnswer;
  const text = isRaw
    ? output.body
    : protocol === 'query'
      ? toQueryXml(operation, output as object)
      : JSON.stringify(output ?? {});
  response.writeHead(isRaw ? output.status : status, {
    'content-type': protocol === 'query' ? 'text/xml' : 'application/x-amz-json-1.1',
    'x-amzn-requestid': randomUUID(),
    ...(isRaw ? output.headers : {}),
  });
  response.end(text);
}

function sendFault(response: ServerResponse, protocol: Protocol, { code, message, status }: AwsFault): void {
  const headers = { 'x-amzn-requestid': randomUUID(), 'x-amzn-errortype': code };
  if (protocol === 'query') {
    response.writeHead(status, { ...headers, 'content-type': 'text/xml' });
    const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
    response.end(`<ErrorResponse>${error}<RequestId>${randomUUID()}</RequestId></ErrorResponse>`);
    return;
  }
  response.writeHead(status, { ...headers, 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify({ __type: code, message, Message: message }));
}

/** An answer whose body is not JSON made by this server, such as the payload of a Lambda function. */
export class RawAnswer {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;

  constructor(body: string, headers: Readonly<Record<string, string>> = {}, status = 200) {
    this.body = body;
    this.headers = headers;
    this.status = status;
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
