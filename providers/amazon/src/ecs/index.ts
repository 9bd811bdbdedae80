export { EcsRunTaskOperator, type EcsRunTaskOperatorArgs } from './ecs-run-task-operator.ts';
export { EcsTaskStateSensor, type EcsTaskStateSensorArgs } from './ecs-task-state-sensor.ts';
export { EcsTaskTrigger } from './ecs-task-trigger.ts';
export { type EcsTasks, ecsService } from './ecs-tasks-waiter.ts';
