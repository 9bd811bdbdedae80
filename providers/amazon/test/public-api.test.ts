import { expect, test } from 'vitest';
import * as door from '../src/index.ts';

// What is exported is promised: a name that comes or goes is a decision that shows in the diff.
const NAMES: Readonly<Record<string, readonly string[]>> = {
  athena: ['AthenaOperator', 'AthenaSensor', 'AthenaTrigger', 'athenaService'],
  aws: [
    'AwsConnectionError',
    'AwsError',
    'AwsHook',
    'AwsJobMissingError',
    'AwsJobOperator',
    'AwsWaiterSensor',
    'AwsWaiterTimeoutError',
    'AwsWaiterTrigger',
    'acceptStates',
    'stsService',
  ],
  batch: ['BatchJobTrigger', 'BatchOperator', 'BatchSensor', 'batchService'],
  ecs: ['EcsRunTaskOperator', 'EcsTaskStateSensor', 'EcsTaskTrigger', 'ecsService'],
  emr: [
    'EmrAddStepsOperator',
    'EmrCreateJobFlowOperator',
    'EmrJobFlowSensor',
    'EmrJobFlowStepsTrigger',
    'EmrJobFlowTrigger',
    'EmrServerlessJobSensor',
    'EmrServerlessJobTrigger',
    'EmrServerlessStartJobOperator',
    'EmrStepSensor',
    'EmrStepsTrigger',
    'emrServerlessService',
    'emrService',
  ],
  glue: ['GlueJobOperator', 'GlueJobSensor', 'GlueJobTrigger', 'glueService'],
  lambda: ['LambdaFunctionStateSensor', 'LambdaInvokeFunctionOperator', 'lambdaService'],
  redshift: ['RedshiftDataOperator', 'RedshiftDataSensor', 'RedshiftDataTrigger', 'redshiftDataService'],
  s3: [
    'S3CopyObjectOperator',
    'S3CreateBucketOperator',
    'S3CreateObjectOperator',
    'S3DeleteBucketOperator',
    'S3DeleteObjectsOperator',
    'S3Hook',
    'S3KeySensor',
    'S3KeyTrigger',
    'S3KeysUnchangedSensor',
    'S3KeysUnchangedTrigger',
    'S3ListOperator',
    'S3LogStore',
    'S3PrefixSensor',
    'S3UrlError',
    'S3XComBackend',
    'S3XComMissingError',
    'formatS3Url',
    'parseS3Url',
    's3Service',
  ],
  sagemaker: [
    'SageMakerProcessingOperator',
    'SageMakerProcessingSensor',
    'SageMakerProcessingTrigger',
    'SageMakerTrainingOperator',
    'SageMakerTrainingSensor',
    'SageMakerTrainingTrigger',
    'SageMakerTransformOperator',
    'SageMakerTransformSensor',
    'SageMakerTransformTrigger',
    'sageMakerService',
  ],
  'step-functions': [
    'StepFunctionExecutionSensor',
    'StepFunctionGetExecutionOutputOperator',
    'StepFunctionStartExecutionOperator',
    'StepFunctionsExecutionTrigger',
    'stepFunctionsService',
  ],
};

test.each(Object.entries(NAMES))(
  'the subpath %s exports these names at run time and no others',
  async (subpath, names) => {
    const specifier = `@windhover/provider-amazon/${subpath}`;
    expect(Object.keys(await import(specifier)).sort()).toEqual(names);
  },
);

test('the main entry exports the names of all subpaths', () => {
  expect(Object.keys(door).sort()).toEqual(Object.values(NAMES).flat().sort());
});
