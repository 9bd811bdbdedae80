export { AwsFault } from './aws/aws-fault.ts';
export { type AwsJobsOptions, type AwsJobsServer, startAwsJobs } from './aws/aws-jobs-server.ts';
export {
  type AwsHandler,
  type AwsRequest,
  type AwsServer,
  type AwsServerOptions,
  RawAnswer,
  startAwsServer,
} from './aws/aws-server.ts';
export { type JobAnswer, JobBook, type JobBookOptions } from './aws/job-book.ts';
export { type CeleryPython, type CeleryPythonOptions, findCeleryPython } from './celery-python.ts';
export { type CheckAnswer, CheckScript } from './check-script.ts';
export { installDebianPackages } from './debian-packages.ts';
export type { BigQueryStandIn } from './google/bigquery.ts';
export type { GcsStandIn } from './google/gcs.ts';
export { type GoogleCloud, type GoogleCloudOptions, startGoogleCloud } from './google/google-cloud.ts';
export { type HttpJobs, type HttpJobsOptions, startHttpJobs } from './http-jobs.ts';
export { type HttpProxy, type ProxiedRequest, type ProxyAnswer, startHttpProxy } from './http-proxy.ts';
export { withMachineLock } from './machine-lock.ts';
export { type NpmRegistry, startNpmRegistry } from './npm-registry.ts';
export { startRabbitMq } from './rabbitmq.ts';
export { type Radosgw, startRadosgw } from './radosgw.ts';
export { startRedis, type TestServer } from './redis.ts';
export { freePort, ServerProcess, type ServerProcessOptions } from './server-process.ts';
export { type Snowflake, type SnowflakeOptions, startSnowflake } from './snowflake/snowflake.ts';
export type { SqlEngine, SqlResult } from './sql-engine.ts';
export { type Fault, type StandInAnswer, type StandInRequest, StandInServer } from './stand-in-server.ts';
