import type { HyperParameterTuningJobConfig, SageMaker } from '@aws-sdk/client-sagemaker';
import type { Context } from '@windhover/core';
import { AwsJobOperator, type AwsWaiter, AwsWaiterTrigger, acceptStates } from '@windhover/provider-amazon/aws';
import { sageMakerService } from '@windhover/provider-amazon/sagemaker';

const tuningWaiter: AwsWaiter<SageMaker, string> = {
  name: 'SageMaker tuning job',
  service: sageMakerService,
  request: (client, name) => client.describeHyperParameterTuningJob({ HyperParameterTuningJobName: name }),
  acceptors: acceptStates('HyperParameterTuningJobStatus', { success: ['Completed'], failure: ['Failed', 'Stopped'] }),
  reasons: ['FailureReason'],
  delay: '30s',
  cancel: (client, name) => client.stopHyperParameterTuningJob({ HyperParameterTuningJobName: name }),
};

export class TuningTrigger extends AwsWaiterTrigger {
  static override readonly classpath = 'project:operators/tuning-operator.ts#TuningTrigger';
  protected readonly waiter = tuningWaiter;
}

export class TuningOperator extends AwsJobOperator<string, { config: HyperParameterTuningJobConfig }, SageMaker> {
  protected readonly waiter = tuningWaiter;
  protected readonly trigger = TuningTrigger;

  protected async submit(client: SageMaker, _context: Context, token: string): Promise<string> {
    const request = { HyperParameterTuningJobName: `tune-${token.slice(0, 8)}` };
    await client.createHyperParameterTuningJob({ ...request, HyperParameterTuningJobConfig: this.args.config });
    return request.HyperParameterTuningJobName;
  }

  protected complete(name: string): string {
    return name;
  }
}
