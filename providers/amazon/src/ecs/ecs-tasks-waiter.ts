import type { ECS, Task } from '@aws-sdk/client-ecs';
import type { AwsService } from '../aws/aws-service.ts';
import { type AwsWaiter, acceptStates } from '../aws/aws-waiter.ts';

export const ecsService: AwsService<ECS> = {
  name: 'ECS',
  load: async () => (await import('@aws-sdk/client-ecs')).ECS,
};

export interface EcsTasks {
  readonly cluster: string;
  readonly taskArns: readonly string[];
}

export const ecsTasksWaiter: AwsWaiter<ECS, EcsTasks> = {
  name: 'ECS task',
  service: ecsService,
  request: describeTasks,
  acceptors: acceptStates('tasks[].state', { success: ['STOPPED'], failure: ['FAILED'] }),
  reasons: ['tasks[].reason'],
  delay: '6s',
  cancel: stopTasks,
};

/** ECS knows only that a task has stopped; whether it failed stands with its containers. */
export async function describeTasks(
  ecs: ECS,
  { cluster, taskArns }: EcsTasks,
): Promise<{ tasks: readonly { lastStatus: string | undefined; state: string | undefined; reason: string | null }[] }> {
  const { tasks = [] } = await ecs.describeTasks({ cluster, tasks: [...taskArns] });
  return {
    tasks: tasks.map((task) => {
      const reason = task.lastStatus === 'STOPPED' ? failureOf(task) : null;
      return { lastStatus: task.lastStatus, state: reason === null ? task.lastStatus : 'FAILED', reason };
    }),
  };
}

function failureOf({ containers = [], stopCode, stoppedReason }: Task): string | null {
  const failed = containers.find(({ exitCode }) => exitCode !== undefined && exitCode !== 0);
  if (failed) {
    const reason = failed.reason ?? stoppedReason;
    return `container "${failed.name}" ended with exit code ${failed.exitCode}${reason ? ` (${reason})` : ''}`;
  }
  if (stopCode !== undefined && stopCode !== 'EssentialContainerExited') return stoppedReason ?? stopCode;
  // A container that never ran has no exit code.
  const unborn = containers.find(({ exitCode }) => exitCode === undefined);
  return unborn
    ? `container "${unborn.name}" did not run: ${unborn.reason ?? stoppedReason ?? 'no reason given'}`
    : null;
}

async function stopTasks(ecs: ECS, { cluster, taskArns }: EcsTasks): Promise<void> {
  const reason = 'The Windhover task that started it was killed.';
  await Promise.all(taskArns.map((task) => ecs.stopTask({ cluster, task, reason })));
}
