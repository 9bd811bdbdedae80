import { WindhoverError } from '@windhover/core';

export class AwsJobMissingError extends WindhoverError {
  readonly code = 'E_AWS_JOB_MISSING';
  readonly jobName: string;
  readonly handle: string;

  constructor(jobName: string, handle: string) {
    super(
      `AWS knows no ${jobName} ${handle}. Check the id, the region and the account; jobs are forgotten some time after their end.`,
    );
    this.jobName = jobName;
    this.handle = handle;
  }
}
