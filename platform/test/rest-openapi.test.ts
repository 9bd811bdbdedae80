import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApi, type TestApi } from './support/rest-api.ts';

let api: TestApi;
let document: any;

beforeAll(async () => {
  api = await createTestApi();
  document = (await api.server.inject('/api/v1/openapi.json')).json();
});
afterAll(() => api.close());

const operations = (): [string, any][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as object).map(([method, operation]): [string, any] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

test('the document lists every route of the server but itself and the metrics', async () => {
  const routes: string[] = [];
  const server = api.newServer();
  server.addHook('onRoute', ({ method, url }) => void routes.push(`${method} ${url.replace(/:(\w+)/g, '{$1}')}`));
  await server.ready();
  await server.close();
  const described = routes.filter((route) => !['GET /metrics', 'GET /api/v1/openapi.json'].includes(route));
  expect(described.length).toBeGreaterThan(40);
  expect(
    operations()
      .map(([name]) => name)
      .sort(),
  ).toEqual(described.sort());
});

test('the document is OpenAPI 3.1: parameters fit their paths, and each operation says what it answers', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.info).toMatchObject({ title: 'Windhover', version: '1.2.3' });
  for (const [name, operation] of operations()) {
    const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    const given = (operation.parameters ?? []).filter((parameter: any) => parameter.in === 'path');
    expect(given.map((parameter: any) => parameter.name).sort(), name).toEqual(inPath.sort());
    expect(
      given.every((parameter: any) => parameter.required),
      name,
    ).toBe(true);
    expect(operation.summary, name).toMatch(/^[A-Z]/);
    expect(Object.keys(operation.responses), name).toEqual(expect.arrayContaining(['default']));
    expect(Object.keys(operation.responses).length, name).toBeGreaterThan(1);
    for (const response of Object.values<any>(operation.responses))
      expect(response.description, name).toEqual(expect.any(String));
    expect(Object.keys(operation.responses.default.content), name).toEqual(['application/problem+json']);
  }
});

test('every reference leads to a schema, and every named schema is used', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target!);
  const names = references.map((target) => target.replace('#/components/schemas/', ''));
  expect(new Set(names)).toEqual(new Set(Object.keys(document.components.schemas)));
  expect(names).toEqual(expect.arrayContaining(['Dag', 'DagRun', 'TaskInstance', 'Pool', 'Problem']));
});

test('filters are described by what they take', () => {
  const { parameters } = document.paths['/api/v1/dags'].get;
  const named = (name: string) => parameters.find((parameter: any) => parameter.name === name);
  expect(named('paused').schema).toMatchObject({ enum: ['true', 'false'] });
  expect(named('search').description).toBe('A part of the id or of the description.');
});

test('instants are described as date-times, and a route without a token says so', () => {
  expect(document.components.schemas.DagRun.properties.logicalDate).toMatchObject({
    type: 'string',
    format: 'date-time',
  });
  expect(document.security).toEqual([{ token: [] }]);
  expect(document.paths['/api/v1/health'].get.security).toEqual([]);
  expect(document.paths['/api/v1/dags'].get).not.toHaveProperty('security');
});
