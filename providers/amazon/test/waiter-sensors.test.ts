import type { BaseSensor, OperatorOptions, SensorOptions } from '@windhover/core';
import { testSensor } from '@windhover/core/testing';
import { AthenaSensor } from '@windhover/provider-amazon/athena';
import { BatchSensor } from '@windhover/provider-amazon/batch';
import { EcsTaskStateSensor } from '@windhover/provider-amazon/ecs';
import { EmrJobFlowSensor, EmrServerlessJobSensor, EmrStepSensor } from '@windhover/provider-amazon/emr';
import { GlueJobSensor } from '@windhover/provider-amazon/glue';
import { LambdaFunctionStateSensor } from '@windhover/provider-amazon/lambda';
import { RedshiftDataSensor } from '@windhover/provider-amazon/redshift';
import {
  SageMakerProcessingSensor,
  SageMakerTrainingSensor,
  SageMakerTransformSensor,
} from '@windhover/provider-amazon/sagemaker';
import { StepFunctionExecutionSensor } from '@windhover/provider-amazon/step-functions';
import { describe, test } from 'vitest';
import { awsBackend, OVERRIDES } from './support/aws-backend.ts';

const SENSORS: Record<string, (options: OperatorOptions & SensorOptions) => BaseSensor<any, any>> = {
  AthenaSensor: (options) => new AthenaSensor({ queryExecutionId: 'job', ...OVERRIDES, ...options }),
  BatchSensor: (options) => new BatchSensor({ jobId: 'job', ...OVERRIDES, ...options }),
  EcsTaskStateSensor: (options) =>
    new EcsTaskStateSensor({ cluster: 'c', task: 'job', targetState: 'STOPPED', ...OVERRIDES, ...options }),
  EmrJobFlowSensor: (options) => new EmrJobFlowSensor({ jobFlowId: 'job', ...OVERRIDES, ...options }),
  EmrServerlessJobSensor: (options) =>
    new EmrServerlessJobSensor({ applicationId: 'a', jobRunId: 'job', ...OVERRIDES, ...options }),
  EmrStepSensor: (options) => new EmrStepSensor({ jobFlowId: 'j-1', stepId: 'job', ...OVERRIDES, ...options }),
  GlueJobSensor: (options) => new GlueJobSensor({ jobName: 'load', runId: 'job', ...OVERRIDES, ...options }),
  LambdaFunctionStateSensor: (options) =>
    new LambdaFunctionStateSensor({ functionName: 'job', ...OVERRIDES, ...options }),
  RedshiftDataSensor: (options) => new RedshiftDataSensor({ statementId: 'job', ...OVERRIDES, ...options }),
  SageMakerProcessingSensor: (options) => new SageMakerProcessingSensor({ jobName: 'job', ...OVERRIDES, ...options }),
  SageMakerTrainingSensor: (options) => new SageMakerTrainingSensor({ jobName: 'job', ...OVERRIDES, ...options }),
  SageMakerTransformSensor: (options) => new SageMakerTransformSensor({ jobName: 'job', ...OVERRIDES, ...options }),
  StepFunctionExecutionSensor: (options) =>
    new StepFunctionExecutionSensor({ executionArn: 'job', ...OVERRIDES, ...options }),
};

for (const [name, make] of Object.entries(SENSORS)) {
  describe(name, () => {
    const suite = testSensor({ backend: awsBackend('job'), sensor: (_backend, options) => make(options) });
    for (const question of suite) test(question.name, question.run);
  });
}
