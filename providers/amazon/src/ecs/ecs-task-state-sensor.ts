import type { ECS } from '@aws-sdk/client-ecs';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';
import { AwsWaiterSensor } from '../aws/aws-waiter-sensor.ts';
import { type EcsTasks, ecsTasksWaiter } from './ecs-tasks-waiter.ts';

export interface EcsTaskStateSensorArgs {
  readonly cluster: string;
  /** The task's ARN or id. */
  readonly task: string;
  /** `STOPPED` also wants that its containers have succeeded. Default: `RUNNING`. */
  readonly targetState?: 'RUNNING' | 'STOPPED';
}

/** Waits until a task of ECS that somebody else has started is in a state. */
export class EcsTaskStateSensor extends AwsWaiterSensor<EcsTaskStateSensorArgs, ECS, EcsTasks> {
  protected get waiter(): AwsWaiter<ECS, EcsTasks> {
    if (this.args.targetState === 'STOPPED') return ecsTasksWaiter;
    const gone = ['FAILED', 'DEACTIVATING', 'STOPPING', 'DEPROVISIONING', 'STOPPED', 'DELETED'];
    return { ...ecsTasksWaiter, acceptors: acceptStates('tasks[].state', { success: ['RUNNING'], failure: gone }) };
  }

  protected handle(): EcsTasks {
    return { cluster: this.args.cluster, taskArns: [this.args.task] };
  }
}
