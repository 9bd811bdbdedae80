import type { SageMaker } from '@aws-sdk/client-sagemaker';
import { type Context, TaskFailed } from '@windhover/core';
import { AwsError } from '../aws/aws-error.ts';
import { AwsJobOperator } from '../aws/aws-job-operator.ts';

export interface SageMakerJobArgs<Request> {
  /** The request as SageMaker takes it. */
  readonly config: Request;
  /** When a job of that name exists: `suffix` puts something behind the name, `fail` fails. Default: `suffix`. */
  readonly actionIfJobExists?: 'suffix' | 'fail';
}

/** What SageMaker says of a job, in its own words. */
export type SageMakerJob = Readonly<Record<string, unknown>>;

/** A job of SageMaker is known by a name that its owner chooses, once for each account and region. */
export abstract class SageMakerJobOperator<Request> extends AwsJobOperator<
  SageMakerJob,
  SageMakerJobArgs<Request>,
  SageMaker
> {
  protected abstract jobName(): string;
  protected abstract create(sageMaker: SageMaker, name: string): Promise<unknown>;

  /** The name is chosen and kept first, so that a second submission meets the job of the first. */
  protected override async chooseToken(client: () => Promise<SageMaker>): Promise<string> {
    const name = this.jobName();
    if (!(await this.exists(await client(), name))) return name;
    if (this.args.actionIfJobExists === 'fail')
      throw new TaskFailed(
        `There is a ${this.waiter.name} "${name}" already. Choose another name, or set actionIfJobExists: 'suffix'.`,
      );
    return `${name.slice(0, MAX_NAME - 9)}-${crypto.randomUUID().slice(0, 8)}`;
  }

  protected async submit(sageMaker: SageMaker, context: Context, name: string): Promise<string> {
    try {
      await this.create(sageMaker, name);
    } catch (error) {
      if (!AwsError.isInstance(error) || error.awsCode !== 'ResourceInUse') throw error;
      context.log.info(`The ${this.waiter.name} "${name}" was submitted before; going on with it.`);
    }
    return name;
  }

  protected async complete(name: string, client: () => Promise<SageMaker>): Promise<SageMakerJob> {
    const { $metadata, ...job } = (await this.waiter.request(await client(), name)) as Record<string, unknown>;
    return job;
  }

  private async exists(sageMaker: SageMaker, name: string): Promise<boolean> {
    try {
      await this.waiter.request(sageMaker, name);
      return true;
    } catch (error) {
      if (AwsError.isInstance(error) && (error.kind === 'rejected' || error.kind === 'notFound')) return false;
      throw error;
    }
  }
}

const MAX_NAME = 63;
