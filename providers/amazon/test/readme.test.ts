import { readFileSync } from 'node:fs';
import { serializeDag } from '@windhover/core';
import { runOperator } from '@windhover/core/testing';
import { startAwsJobs } from '@windhover/testing-services';
import { expect, test } from 'vitest';
import manifest from '../provider.json' with { type: 'json' };
import { sales } from './readme/sales.ts';
import { TuningOperator } from './readme/tuning-operator.ts';
import { awsConnections, OVERRIDES } from './support/aws-backend.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');

test('every TypeScript block of the README is a file that is compiled and run here', () => {
  const blocks = [...readme.matchAll(/```ts\n\/\/ \S+\/(\S+)\n([\s\S]*?)```/g)];
  expect(blocks).toHaveLength(readme.split('```ts').length - 1);
  for (const [, file, code] of blocks) expect(code).toBe(read(`readme/${file}`));
});

test('the DAG of the README is read', () => {
  expect(serializeDag(sales).tasks.map(({ taskId }) => taskId)).toEqual(['landed', 'load']);
});

test('the operator of the README runs a job, and a kill cancels it', async () => {
  const server = await startAwsJobs({
    script: ['pending'],
    handlers: {
      CreateHyperParameterTuningJob: (input) => void server.jobs.add(input.HyperParameterTuningJobName),
      DescribeHyperParameterTuningJob: () => ({ HyperParameterTuningJobStatus: 'InProgress' }),
      StopHyperParameterTuningJob: (input) => server.jobs.cancel(input.HyperParameterTuningJobName),
    },
  });
  const config = { Strategy: 'Bayesian', ResourceLimits: { MaxParallelTrainingJobs: 1 } } as const;
  const operator = new TuningOperator({ taskId: 'tune', config, ...OVERRIDES });
  await runOperator(operator, { connections: awsConnections(server), killAfter: '5m' });
  expect(server.jobs.submitted).toHaveLength(1);
  expect(server.jobs.cancelled).toEqual(server.jobs.submitted);
  await server.stop();
});

test('the README names every class of the manifest and has less than a hundred lines', () => {
  const { operators, sensors, triggers, hooks, xcomBackends, logStores } = manifest;
  for (const { classpath } of [operators, sensors, triggers, hooks, xcomBackends, logStores].flat())
    expect(readme).toContain(`\`${classpath.split('#')[1]}\``);
  expect(readme.split('\n').length).toBeLessThan(100);
});
