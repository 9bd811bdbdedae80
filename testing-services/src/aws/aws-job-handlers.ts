import { AwsFault } from './aws-fault.ts';
import { type AwsHandler, RawAnswer } from './aws-server.ts';
import type { JobBook, StateNames } from './job-book.ts';

type Handlers = Readonly<Record<string, AwsHandler>>;

/** The calls that operators make, of all job services, with answers in their published shapes. */
export function awsJobHandlers(jobs: JobBook): Handlers {
  return {
    ...batch(jobs),
    ...emr(jobs),
    ...emrServerless(jobs),
    ...redshiftData(jobs),
    ...athena(jobs),
    ...glue(jobs),
    ...stepFunctions(jobs),
    ...sageMaker(jobs, 'Training'),
    ...sageMaker(jobs, 'Processing'),
    ...sageMaker(jobs, 'Transform'),
    ...ecs(jobs),
    ...lambda(jobs),
  };
}

const UPPER: StateNames = { pending: 'RUNNING', done: 'SUCCEEDED', failed: 'FAILED' };
const REASON = 'Out of luck';

function reasonOf(state: string, failed = UPPER.failed): string | undefined {
  return state === failed ? REASON : undefined;
}

function batch(jobs: JobBook): Handlers {
  return {
    SubmitJob: ({ jobName }) => ({ jobName, jobId: jobs.submit('batch-')[0] }),
    DescribeJobs: ({ jobs: ids }) => {
      const known = (ids as string[]).filter((id) => jobs.has(id));
      if (known.length === 0) return { jobs: [] };
      const status = jobs.look(UPPER, ...known);
      return { jobs: known.map((jobId) => ({ jobId, jobName: 'job', status, statusReason: reasonOf(status) })) };
    },
    TerminateJob: ({ jobId }) => jobs.cancel(jobId),
  };
}

function emr(jobs: JobBook): Handlers {
  const steps = { pending: 'RUNNING', done: 'COMPLETED', failed: 'FAILED' };
  const clusters = { pending: 'RUNNING', done: 'TERMINATED', failed: 'TERMINATED_WITH_ERRORS' };
  const step = (id: string, state: string) => ({
    Id: id,
    Status: { State: state, ...(state === 'FAILED' ? { FailureDetails: { Reason: REASON } } : {}) },
  });
  return {
    AddJobFlowSteps: ({ Steps }) => ({ StepIds: jobs.submit('s-', { count: (Steps as unknown[]).length }) }),
    ListSteps: ({ StepIds }) => {
      const known = (StepIds as string[]).filter((id) => jobs.has(id));
      if (known.length === 0) throw new AwsFault('InvalidRequestException', 'Step id is not valid.');
      const state = jobs.look(steps, ...known);
      return { Steps: known.map((id) => step(id, state)) };
    },
    CancelSteps: ({ StepIds }) => jobs.cancel(...(StepIds as string[])),
    RunJobFlow: () => ({ JobFlowId: jobs.submit('j-')[0] }),
    DescribeCluster: ({ ClusterId }) => {
      if (!jobs.has(ClusterId))
        throw new AwsFault('InvalidRequestException', `Cluster id '${ClusterId}' is not valid.`);
      const State = jobs.look(clusters, ClusterId);
      const StateChangeReason = State === clusters.failed ? { Code: 'STEP_FAILURE', Message: REASON } : {};
      return { Cluster: { Id: ClusterId, Status: { State, StateChangeReason } } };
    },
    TerminateJobFlows: ({ JobFlowIds }) => jobs.cancel(...(JobFlowIds as string[])),
  };
}

function emrServerless(jobs: JobBook): Handlers {
  const states = { pending: 'RUNNING', done: 'SUCCESS', failed: 'FAILED' };
  return {
    StartServerlessJobRun: ({ applicationId, clientToken }) => ({
      applicationId,
      jobRunId: jobs.submit('run-', { token: clientToken })[0],
      arn: 'arn:aws:emr-serverless:::run',
    }),
    GetServerlessJobRun: ({ applicationId, jobRunId }) => {
      if (!jobs.has(jobRunId)) throw new AwsFault('ResourceNotFoundException', `Job run ${jobRunId} not found.`, 404);
      const state = jobs.look(states, jobRunId);
      return { jobRun: { applicationId, jobRunId, state, stateDetails: reasonOf(state) ?? '' } };
    },
    CancelServerlessJobRun: ({ applicationId, jobRunId }) => {
      jobs.cancel(jobRunId);
      return { applicationId, jobRunId };
    },
  };
}

function redshiftData(jobs: JobBook): Handlers {
  const states = { pending: 'STARTED', done: 'FINISHED', failed: 'FAILED' };
  const submit: AwsHandler = ({ ClientToken }) => ({ Id: jobs.submit('statement-', { token: ClientToken })[0] });
  return {
    ExecuteStatement: submit,
    BatchExecuteStatement: submit,
    DescribeStatement: ({ Id }) => {
      if (!jobs.has(Id)) throw new AwsFault('ResourceNotFoundException', `Query ${Id} does not exist.`);
      const Status = jobs.look(states, Id);
      return { Id, Status, HasResultSet: true, Error: reasonOf(Status) };
    },
    CancelStatement: ({ Id }) => {
      jobs.cancel(Id);
      return { Status: true };
    },
    // Two pages, so that a client that reads only the first is found out.
    GetStatementResult: ({ NextToken }) => ({
      ColumnMetadata: [{ name: 'id' }, { name: 'name' }],
      Records: NextToken ? [[{ longValue: 2 }, { isNull: true }]] : [[{ longValue: 1 }, { stringValue: 'first' }]],
      TotalNumRows: 2,
      ...(NextToken ? {} : { NextToken: 'page-2' }),
    }),
  };
}

function athena(jobs: JobBook): Handlers {
  return {
    StartQueryExecution: ({ ClientRequestToken }) => ({
      QueryExecutionId: jobs.submit('query-', { token: ClientRequestToken })[0],
    }),
    GetQueryExecution: ({ QueryExecutionId }) => {
      if (!jobs.has(QueryExecutionId))
        throw new AwsFault('InvalidRequestException', `QueryExecution ${QueryExecutionId} was not found`);
      const State = jobs.look(UPPER, QueryExecutionId);
      return { QueryExecution: { QueryExecutionId, Status: { State, StateChangeReason: reasonOf(State) } } };
    },
    StopQueryExecution: ({ QueryExecutionId }) => jobs.cancel(QueryExecutionId),
  };
}

function glue(jobs: JobBook): Handlers {
  return {
    StartJobRun: () => ({ JobRunId: jobs.submit('jr_')[0] }),
    GetJobRun: ({ JobName, RunId }) => {
      if (!jobs.has(RunId)) throw new AwsFault('EntityNotFoundException', `Job Run ${RunId} not found`);
      const JobRunState = jobs.look(UPPER, RunId);
      return { JobRun: { Id: RunId, JobName, JobRunState, ErrorMessage: reasonOf(JobRunState) } };
    },
    BatchStopJobRun: ({ JobRunIds }) => jobs.cancel(...(JobRunIds as string[])),
  };
}

function stepFunctions(jobs: JobBook): Handlers {
  const submit = (name: string) => {
    const arn = `arn:aws:states:eu-west-1:123456789012:execution:machine:${name}`;
    return jobs.has(arn) ? arn : jobs.add(arn);
  };
  return {
    StartExecution: ({ name }) => ({ executionArn: submit(name), startDate: 1_767_225_600 }),
    RedriveExecution: ({ executionArn }) => {
      jobs.add(executionArn);
      return { redriveDate: 1_767_225_600 };
    },
    DescribeExecution: ({ executionArn }) => {
      if (!jobs.has(executionArn))
        throw new AwsFault('ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`);
      const status = jobs.look(UPPER, executionArn);
      const failure = status === UPPER.failed ? { error: 'States.TaskFailed', cause: REASON } : {};
      return { executionArn, status, ...failure, ...(status === UPPER.done ? { output: '{"rows":2}' } : {}) };
    },
    StopExecution: ({ executionArn }) => {
      jobs.cancel(executionArn);
      return { stopDate: 1_767_225_600 };
    },
  };
}

function sageMaker(jobs: JobBook, kind: 'Training' | 'Processing' | 'Transform'): Handlers {
  const states = { pending: 'InProgress', done: 'Completed', failed: 'Failed' };
  const nameOf = (input: Readonly<Record<string, any>>) => input[`${kind}JobName`] as string;
  const arn = (name: string) => ({ [`${kind}JobArn`]: `arn:aws:sagemaker:eu-west-1:123456789012:job/${name}` });
  return {
    [`Create${kind}Job`]: (input) => {
      if (jobs.has(nameOf(input))) throw new AwsFault('ResourceInUse', 'Job name must be unique.');
      return arn(jobs.add(nameOf(input)));
    },
    [`Describe${kind}Job`]: (input) => {
      if (!jobs.has(nameOf(input))) throw new AwsFault('ValidationException', 'Requested resource not found.');
      const status = jobs.look(states, nameOf(input));
      const FailureReason = reasonOf(status, states.failed);
      return { [`${kind}JobName`]: nameOf(input), ...arn(nameOf(input)), [`${kind}JobStatus`]: status, FailureReason };
    },
    [`Stop${kind}Job`]: (input) => jobs.cancel(nameOf(input)),
  };
}

function ecs(jobs: JobBook): Handlers {
  const states = { pending: 'RUNNING', done: 'STOPPED', failed: 'STOPPED WITH AN ERROR' };
  return {
    RunTask: ({ clientToken, count = 1 }) => ({
      tasks: jobs.submit('arn:aws:ecs:::task/', { count, token: clientToken }).map((taskArn) => ({ taskArn })),
      failures: [],
    }),
    DescribeTasks: ({ tasks }) => {
      const known = (tasks as string[]).filter((task) => jobs.has(task));
      if (known.length === 0)
        return { tasks: [], failures: (tasks as string[]).map((arn) => ({ arn, reason: 'MISSING' })) };
      const state = jobs.look(states, ...known);
      const exitCode = state === states.pending ? undefined : state === states.failed ? 3 : 0;
      const lastStatus = state === states.pending ? state : 'STOPPED';
      const containers = [{ name: 'main', lastStatus, exitCode, reason: reasonOf(state, states.failed) }];
      return { tasks: known.map((taskArn) => ({ taskArn, lastStatus, containers })), failures: [] };
    },
    StopTask: ({ task }) => {
      jobs.cancel(task);
      return { task: { taskArn: task } };
    },
  };
}

function lambda(jobs: JobBook): Handlers {
  const states = { pending: 'Pending', done: 'Active', failed: 'Failed' };
  return {
    /** Answers what it was given; a function with `broken` in its name fails. */
    Invoke: ({ functionName, payload, invocationType }) => {
      jobs.submit('invocation-');
      if (invocationType === 'Event') return new RawAnswer('', {}, 202);
      if (!String(functionName).includes('broken')) return new RawAnswer(payload || 'null');
      const failure = JSON.stringify({ errorMessage: REASON, errorType: 'Error' });
      return new RawAnswer(failure, { 'x-amz-function-error': 'Unhandled' });
    },
    GetFunction: ({ functionName }) => {
      const State = jobs.look(states, functionName);
      return { Configuration: { FunctionName: functionName, State, StateReason: reasonOf(State, states.failed) } };
    },
  };
}
