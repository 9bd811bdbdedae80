import type { Lambda } from '@aws-sdk/client-lambda';
import type { AwsService } from '../aws/aws-service.ts';

export const lambdaService: AwsService<Lambda> = {
  name: 'Lambda',
  load: async () => (await import('@aws-sdk/client-lambda')).Lambda,
};
