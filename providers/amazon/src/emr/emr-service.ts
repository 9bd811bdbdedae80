import type { EMR } from '@aws-sdk/client-emr';
import type { EMRServerless } from '@aws-sdk/client-emr-serverless';
import type { AwsService } from '../aws/aws-service.ts';

export const emrService: AwsService<EMR> = {
  name: 'EMR',
  load: async () => (await import('@aws-sdk/client-emr')).EMR,
};

export const emrServerlessService: AwsService<EMRServerless> = {
  name: 'EMR Serverless',
  load: async () => (await import('@aws-sdk/client-emr-serverless')).EMRServerless,
};
