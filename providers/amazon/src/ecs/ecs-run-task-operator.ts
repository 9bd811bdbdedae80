import type { ECS, RunTaskRequest } from '@aws-sdk/client-ecs';
import { type Context, JobFailedError } from '@windhover/core';
import { AwsJobOperator } from '../aws/aws-job-operator.ts';
import { EcsTaskTrigger } from './ecs-task-trigger.ts';
import { type EcsTasks, ecsTasksWaiter } from './ecs-tasks-waiter.ts';

export interface EcsRunTaskOperatorArgs
  extends Pick<
    RunTaskRequest,
    | 'capacityProviderStrategy'
    | 'count'
    | 'enableECSManagedTags'
    | 'enableExecuteCommand'
    | 'group'
    | 'launchType'
    | 'networkConfiguration'
    | 'overrides'
    | 'placementConstraints'
    | 'placementStrategy'
    | 'platformVersion'
    | 'propagateTags'
    | 'startedBy'
    | 'tags'
    | 'volumeConfigurations'
  > {
  readonly cluster: string;
  readonly taskDefinition: string;
}

/** Runs a task on ECS, or several alike. Its result is their ARNs. */
export class EcsRunTaskOperator extends AwsJobOperator<readonly string[], EcsRunTaskOperatorArgs, ECS, EcsTasks> {
  protected readonly waiter = ecsTasksWaiter;
  protected readonly trigger = EcsTaskTrigger;

  protected async submit(ecs: ECS, _context: Context, clientToken: string): Promise<EcsTasks> {
    const { tasks = [], failures = [] } = await ecs.runTask({ ...this.request(), clientToken });
    const taskArns = tasks.map(({ taskArn }) => taskArn!);
    if (failures.length > 0 || taskArns.length === 0) {
      const reasons = failures.map(({ arn, reason, detail }) => [arn, reason, detail].filter(Boolean).join(' '));
      const { cluster } = this.args;
      // Those that did start belong to nobody else.
      await Promise.all(
        taskArns.map((task) => ecs.stopTask({ cluster, task, reason: 'Others could not be started.' })),
      );
      throw new JobFailedError(
        `ECS did not start "${this.args.taskDefinition}" on cluster "${cluster}": ${reasons.join('; ') || 'no task'}.`,
      );
    }
    return { cluster: this.args.cluster, taskArns };
  }

  protected complete({ taskArns }: EcsTasks): readonly string[] {
    return taskArns;
  }
}
