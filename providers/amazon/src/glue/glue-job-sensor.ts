import type { Glue } from '@aws-sdk/client-glue';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { type GlueJobRun, glueJobWaiter } from './glue-job-waiter.ts';

/** Waits for a run of a Glue job that somebody else has started. */
export class GlueJobSensor extends AwsWaiterSensor<GlueJobRun, Glue, GlueJobRun> {
  protected readonly waiter = glueJobWaiter;

  protected handle(): GlueJobRun {
    return { jobName: this.args.jobName, runId: this.args.runId };
  }
}
