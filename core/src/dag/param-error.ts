import { WindhoverError } from '../windhover-error.ts';

export class ParamError extends WindhoverError {
  readonly code = 'E_PARAM';
  readonly dagId: string;
  readonly param: string;

  constructor(dagId: string, param: string, reason: string) {
    super(`DAG "${dagId}" cannot run: param "${param}": ${reason}. Pass it in the run's conf: {"${param}": …}.`);
    this.dagId = dagId;
    this.param = param;
  }
}
