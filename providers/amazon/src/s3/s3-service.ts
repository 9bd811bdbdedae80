import type { S3 } from '@aws-sdk/client-s3';
import type { AwsService } from '../aws/aws-service.ts';

export const s3Service: AwsService<S3> = {
  name: 'S3',
  load: async () => (await import('@aws-sdk/client-s3')).S3,
  // Other S3 servers have no host for each bucket, and not all know the newer checksums.
  extraConfig: ({ hasEndpoint }) =>
    hasEndpoint
      ? {
          forcePathStyle: true,
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        }
      : {},
};
