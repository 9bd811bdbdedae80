import type { StartedCallback } from '@windhover/core';

/** For people: `onFailure of task "load" of DAG "daily"`. */
export function describeCallback(callback: StartedCallback['callback']): string {
  switch (callback.type) {
    case 'task':
      return `${callback.name} of task "${callback.key.taskId}" of DAG "${callback.key.dagId}"`;
    case 'dag':
      return `${callback.name} of DAG "${callback.dagId}"`;
    case 'deadline':
      return `deadlines[${callback.position}] of DAG "${callback.dagId}"`;
  }
}
