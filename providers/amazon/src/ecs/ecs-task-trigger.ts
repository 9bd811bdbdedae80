import { AwsWaiterTrigger } from '../aws/aws-waiter-trigger.ts';
import { type EcsTasks, ecsTasksWaiter } from './ecs-tasks-waiter.ts';

/** Waits for tasks of ECS, and stops all of them when their task is killed. */
export class EcsTaskTrigger extends AwsWaiterTrigger<EcsTasks> {
  static override readonly classpath = '@windhover/provider-amazon/ecs#EcsTaskTrigger';
  protected readonly waiter = ecsTasksWaiter;
}
