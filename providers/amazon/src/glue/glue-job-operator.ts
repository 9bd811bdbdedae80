import type { Glue } from '@aws-sdk/client-glue';
import { AwsJobOperator } from '../aws/aws-job-operator.ts';
import { GlueJobTrigger } from './glue-job-trigger.ts';
import { type GlueJobRun, glueJobWaiter } from './glue-job-waiter.ts';

export interface GlueJobOperatorArgs {
  /** A job that exists. */
  readonly jobName: string;
  /** Arguments of the script: `{ '--day': '2026-01-01' }`. Default: those of the job. */
  readonly scriptArgs?: Readonly<Record<string, string>>;
  /** Default: that of the job, like each of those below. */
  readonly workerType?: string;
  readonly numberOfWorkers?: number;
  readonly timeoutMinutes?: number;
  readonly securityConfiguration?: string;
}

/** Runs a Glue job. Its result is the id of the run. */
export class GlueJobOperator extends AwsJobOperator<string, GlueJobOperatorArgs, Glue, GlueJobRun> {
  protected readonly waiter = glueJobWaiter;
  protected readonly trigger = GlueJobTrigger;

  protected async submit(glue: Glue): Promise<GlueJobRun> {
    const { jobName, scriptArgs, workerType, numberOfWorkers, timeoutMinutes, securityConfiguration } = this.args;
    const { JobRunId } = await glue.startJobRun({
      JobName: jobName,
      ...(scriptArgs && { Arguments: { ...scriptArgs } }),
      WorkerType: workerType as 'G.1X' | undefined,
      NumberOfWorkers: numberOfWorkers,
      Timeout: timeoutMinutes,
      SecurityConfiguration: securityConfiguration,
    });
    return { jobName, runId: JobRunId! };
  }

  protected complete({ runId }: GlueJobRun): string {
    return runId;
  }
}
