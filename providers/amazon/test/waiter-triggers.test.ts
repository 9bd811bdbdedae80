import { testTrigger } from '@windhover/core/testing';
import { AthenaTrigger } from '@windhover/provider-amazon/athena';
import type { AwsWaiterTrigger } from '@windhover/provider-amazon/aws';
import { BatchJobTrigger } from '@windhover/provider-amazon/batch';
import { EcsTaskTrigger } from '@windhover/provider-amazon/ecs';
import {
  EmrJobFlowStepsTrigger,
  EmrJobFlowTrigger,
  EmrServerlessJobTrigger,
  EmrStepsTrigger,
} from '@windhover/provider-amazon/emr';
import { GlueJobTrigger } from '@windhover/provider-amazon/glue';
import { RedshiftDataTrigger } from '@windhover/provider-amazon/redshift';
import {
  SageMakerProcessingTrigger,
  SageMakerTrainingTrigger,
  SageMakerTransformTrigger,
} from '@windhover/provider-amazon/sagemaker';
import { StepFunctionsExecutionTrigger } from '@windhover/provider-amazon/step-functions';
import { describe, test } from 'vitest';
import { awsBackend, OVERRIDES } from './support/aws-backend.ts';

const INTERVAL = '20s';
const KWARGS = { ...OVERRIDES, waiterDelay: INTERVAL, waiterMaxAttempts: 500 } as const;

const TRIGGERS: Record<string, () => AwsWaiterTrigger<any>> = {
  AthenaTrigger: () => new AthenaTrigger({ handle: 'job', ...KWARGS }),
  BatchJobTrigger: () => new BatchJobTrigger({ handle: 'job', ...KWARGS }),
  EcsTaskTrigger: () => new EcsTaskTrigger({ handle: { cluster: 'c', taskArns: ['job'] }, ...KWARGS }),
  EmrJobFlowTrigger: () => new EmrJobFlowTrigger({ handle: 'job', ...KWARGS }),
  EmrJobFlowStepsTrigger: () => new EmrJobFlowStepsTrigger({ handle: 'job', ...KWARGS }),
  EmrServerlessJobTrigger: () =>
    new EmrServerlessJobTrigger({ handle: { applicationId: 'a', jobRunId: 'job' }, ...KWARGS }),
  EmrStepsTrigger: () => new EmrStepsTrigger({ handle: { jobFlowId: 'j-1', stepIds: ['job'] }, ...KWARGS }),
  GlueJobTrigger: () => new GlueJobTrigger({ handle: { jobName: 'load', runId: 'job' }, ...KWARGS }),
  RedshiftDataTrigger: () => new RedshiftDataTrigger({ handle: 'job', ...KWARGS }),
  SageMakerProcessingTrigger: () => new SageMakerProcessingTrigger({ handle: 'job', ...KWARGS }),
  SageMakerTrainingTrigger: () => new SageMakerTrainingTrigger({ handle: 'job', ...KWARGS }),
  SageMakerTransformTrigger: () => new SageMakerTransformTrigger({ handle: 'job', ...KWARGS }),
  StepFunctionsExecutionTrigger: () => new StepFunctionsExecutionTrigger({ handle: 'job', ...KWARGS }),
};

for (const [name, make] of Object.entries(TRIGGERS)) {
  describe(name, () => {
    const suite = testTrigger({
      load: (specifier) => import(specifier),
      backend: awsBackend('job'),
      trigger: make,
      interval: INTERVAL,
    });
    for (const question of suite) test(question.name, question.run);
  });
}
