import { type Dag, type Logger, type LogLevel, serializeDag } from '@windhover/core';
import { MemoryLogStore } from '@windhover/core/testing';
import type { FastifyInstance } from 'fastify';
import { Lookup } from '../../src/connections/lookup.ts';
import { generateSecretKey } from '../../src/crypto/secret-keys.ts';
import { createDagRun } from '../../src/dag-runs/create-dag-run.ts';
import { DagFileStore } from '../../src/dags/dag-file-store.ts';
import { Tokens } from '../../src/execution-api/tokens.ts';
import { type ApiServerOptions, createApiServer } from '../../src/rest/api-server.ts';
import { insertTaskInstances } from '../../src/store/task-instances.ts';
import { createTestStore, type TestStore } from './store.ts';

/** A REST API over a database of its own. */
export interface TestApi extends TestStore {
  readonly server: FastifyInstance;
  readonly tokens: Tokens;
  /** Of somebody called `ada`. */
  readonly token: string;
  readonly logStore: MemoryLogStore;
  readonly env: Record<string, string>;
  readonly logged: { level: LogLevel; message: string }[];
  /** Another server over the same store; the caller closes it. */
  newServer(options?: Partial<ApiServerOptions>): FastifyInstance;
  /** Sends a request with ada's token; `path` begins behind `/api/v1`. */
  call(method: Method, path: string, body?: unknown): Promise<Answer>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Answer {
  readonly status: number;
  readonly body: any;
  readonly contentType: string;
}

export async function createTestApi(): Promise<TestApi> {
  const store = await createTestStore();
  const tokens = new Tokens([generateSecretKey()]);
  const token = await tokens.issue({ type: 'api', name: 'ada' });
  const logStore = new MemoryLogStore();
  const env: Record<string, string> = {};
  const logged: TestApi['logged'] = [];
  const write = (level: LogLevel) => (message: string) => void logged.push({ level, message });
  const log: Logger = { debug: write('debug'), info: write('info'), warning: write('warning'), error: write('error') };
  const lookup = new Lookup({ ...store, env, secretsBackends: [] });
  const newServer = (options: Partial<ApiServerOptions> = {}) =>
    createApiServer({ ...store, lookup, logStore, tokens, log, version: '1.2.3', ...options });
  const server = newServer();
  const call: TestApi['call'] = async (method, path, body) => {
    const response = await server.inject({
      method,
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    return {
      status: response.statusCode,
      body: response.body === '' ? undefined : JSON.parse(response.body),
      contentType: String(response.headers['content-type'] ?? ''),
    };
  };
  const close = async () => {
    await server.close();
    await store.close();
  };
  return { ...store, server, tokens, token, logStore, env, logged, newServer, call, close };
}

/** As the dag-processor does it. */
export async function putDags(store: TestStore, dags: readonly Dag[], file = 'dags/a.ts'): Promise<void> {
  await new DagFileStore(store.database).putDagFile({
    file,
    codeHash: 'code',
    dags: dags.map((dag) => serializeDag(dag)),
    importErrors: [],
  });
}

/** A run that has begun: its tasks are there, and can be changed by the writer. */
export async function beginTestRun(
  store: TestStore,
  dag: Dag,
): Promise<{ runId: string; dagRunId: number; ids: Map<string, number>; path: string }> {
  await putDags(store, [dag], `dags/${dag.dagId}.ts`);
  const { id: dagRunId, runId } = await createDagRun(store.database, { dagId: dag.dagId, runType: 'manual' });
  await insertTaskInstances(store.database, dagRunId, serializeDag(dag).tasks);
  await store.database.query("update dag_run set state = 'running', started_at = now() where id = $1", [dagRunId]);
  const { rows } = await store.database.query<{ id: number; task_id: string }>(
    'select id, task_id from task_instance where dag_run_id = $1',
    [dagRunId],
  );
  const ids = new Map(rows.map(({ id, task_id }) => [task_id, id]));
  return { runId, dagRunId, ids, path: `/dags/${dag.dagId}/runs/${encodeURIComponent(runId)}` };
}
