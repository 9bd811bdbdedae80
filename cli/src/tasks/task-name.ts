import { path } from '../api-client/path.ts';
import { shellWord } from '../output/format.ts';

/** The three names by which commands find a task of a run. */
export interface TaskName {
  readonly dagId: string;
  readonly runId: string;
  readonly taskId: string;
}

export function taskPath({ dagId, runId, taskId }: TaskName): string {
  return path`/dags/${dagId}/runs/${runId}/tasks/${taskId}`;
}

/** As the commands take it. */
export function taskWords({ dagId, runId, taskId }: TaskName): string {
  return [dagId, runId, taskId].map(shellWord).join(' ');
}
