import type { STS } from '@aws-sdk/client-sts';
import type { AwsService } from './aws-service.ts';

export const stsService: AwsService<STS> = {
  name: 'STS',
  load: async () => (await import('@aws-sdk/client-sts')).STS,
};
