import type { Json } from '@windhover/core';
import type { Connection } from '../api-client/administration.ts';
import { ApiError } from '../api-client/api-error.ts';
import { path } from '../api-client/path.ts';
import { secretValue } from '../input/secret-value.ts';
import { shellWord } from '../output/format.ts';
import type { Session } from '../session.ts';
import { ConnectionExistsError } from './connection-exists-error.ts';

export interface ConnectionOptions {
  readonly uri?: string;
  readonly type?: string;
  readonly host?: string;
  readonly port?: number;
  readonly login?: string;
  readonly password?: string;
  readonly schema?: string;
  readonly extra?: Readonly<Record<string, Json>>;
  readonly description?: string;
}

/** `windhover connections add` */
export async function addConnection(session: Session, connId: string, options: ConnectionOptions): Promise<void> {
  const { api, io, output } = session;
  const { uri, type: connType, password, description, ...parts } = options;
  const url = path`/connections/${connId}`;
  if (await exists(session, url)) throw new ConnectionExistsError(connId);
  const body =
    uri !== undefined
      ? { uri: await secretValue(io, uri) }
      : { connType, ...parts, password: password === undefined ? undefined : await secretValue(io, password) };
  const connection = await api.put<Connection>(url, { ...body, description });
  output.answer(connection, () => {
    output.line(`Added connection ${connId}.`);
    output.next(`windhover connections test ${shellWord(connId)}`);
  });
}

async function exists({ api }: Session, url: string): Promise<boolean> {
  try {
    await api.get<Connection>(url);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
