import type { BaseOperator } from '@windhover/core';
import { type JobOperatorOptions, testJobOperator } from '@windhover/core/testing';
import { AthenaOperator } from '@windhover/provider-amazon/athena';
import { BatchOperator } from '@windhover/provider-amazon/batch';
import { EcsRunTaskOperator } from '@windhover/provider-amazon/ecs';
import {
  EmrAddStepsOperator,
  EmrCreateJobFlowOperator,
  EmrServerlessStartJobOperator,
} from '@windhover/provider-amazon/emr';
import { GlueJobOperator } from '@windhover/provider-amazon/glue';
import { RedshiftDataOperator } from '@windhover/provider-amazon/redshift';
import {
  SageMakerProcessingOperator,
  SageMakerTrainingOperator,
  SageMakerTransformOperator,
} from '@windhover/provider-amazon/sagemaker';
import { StepFunctionStartExecutionOperator } from '@windhover/provider-amazon/step-functions';
import { afterAll, describe, test, vi } from 'vitest';
import { awsBackend, OVERRIDES } from './support/aws-backend.ts';

const OPERATORS: Record<string, (options: JobOperatorOptions) => BaseOperator<any, any>> = {
  AthenaOperator: (options) =>
    new AthenaOperator({ query: 'select 1', database: 'sales', outputLocation: 's3://out/', ...OVERRIDES, ...options }),
  BatchOperator: (options) =>
    new BatchOperator({ jobName: 'job', jobDefinition: 'definition', jobQueue: 'queue', ...OVERRIDES, ...options }),
  EcsRunTaskOperator: (options) =>
    new EcsRunTaskOperator({ cluster: 'cluster', taskDefinition: 'load', ...OVERRIDES, ...options }),
  EmrAddStepsOperator: (options) =>
    new EmrAddStepsOperator({
      jobFlowId: 'j-1',
      steps: [{ Name: 'load', HadoopJarStep: { Jar: 'command-runner.jar' } }],
      ...OVERRIDES,
      ...options,
    }),
  EmrCreateJobFlowOperator: (options) =>
    new EmrCreateJobFlowOperator({ jobFlowOverrides: { Name: 'flow', Instances: {} }, ...OVERRIDES, ...options }),
  'EmrCreateJobFlowOperator that waits for steps': (options) =>
    new EmrCreateJobFlowOperator({
      jobFlowOverrides: { Name: 'flow', Instances: {} },
      waitPolicy: 'stepsCompletion',
      ...OVERRIDES,
      ...options,
    }),
  EmrServerlessStartJobOperator: (options) =>
    new EmrServerlessStartJobOperator({
      applicationId: 'app',
      executionRoleArn: 'arn:aws:iam::123456789012:role/emr',
      jobDriver: { sparkSubmit: { entryPoint: 's3://code/job.py' } },
      ...OVERRIDES,
      ...options,
    }),
  GlueJobOperator: (options) =>
    new GlueJobOperator({ jobName: 'load', scriptArgs: { '--day': '2026-01-01' }, ...OVERRIDES, ...options }),
  RedshiftDataOperator: (options) =>
    new RedshiftDataOperator({ database: 'dev', sql: 'select 1', returnSqlResult: true, ...OVERRIDES, ...options }),
  SageMakerProcessingOperator: (options) =>
    new SageMakerProcessingOperator({
      config: {
        ProcessingJobName: 'job',
        ProcessingResources: undefined,
        AppSpecification: undefined,
        RoleArn: 'role',
      },
      ...OVERRIDES,
      ...options,
    }),
  SageMakerTrainingOperator: (options) =>
    new SageMakerTrainingOperator({
      config: { TrainingJobName: 'job', RoleArn: 'role', OutputDataConfig: { S3OutputPath: 's3://models/' } },
      ...OVERRIDES,
      ...options,
    }),
  SageMakerTransformOperator: (options) =>
    new SageMakerTransformOperator({
      config: {
        TransformJobName: 'job',
        ModelName: 'model',
        TransformInput: undefined,
        TransformOutput: undefined,
        TransformResources: undefined,
      },
      ...OVERRIDES,
      ...options,
    }),
  StepFunctionStartExecutionOperator: (options) =>
    new StepFunctionStartExecutionOperator({
      stateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:machine',
      ...OVERRIDES,
      ...options,
    }),
};

const INTERVAL = '20s';

// Some results hold the random name of the job; the suite compares the results of two runs.
let made = 0;
const randomUUID = vi
  .spyOn(crypto, 'randomUUID')
  .mockImplementation(() => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`);
afterAll(() => randomUUID.mockRestore());

for (const [name, make] of Object.entries(OPERATORS)) {
  describe(name, () => {
    const suite = testJobOperator({
      backend: (script, clock) => {
        made = 0;
        return awsBackend()(script, clock);
      },
      operator: (_backend, options) => make({ ...options, waiterDelay: INTERVAL } as JobOperatorOptions),
      events: [
        { outcome: 'success', state: 'SUCCEEDED', reason: null },
        { outcome: 'failure', state: 'FAILED', reason: null },
        { outcome: 'failure', state: 'FAILED', reason: 'Out of luck' },
      ],
      interval: INTERVAL,
    });
    for (const question of suite) test(question.name, question.run);
  });
}
