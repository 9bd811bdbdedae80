// Every public name of @windhover/provider-http. `test/public-api.test.ts` pins this list.

export { HttpHook, type HttpRetryPolicy, type HttpSendOptions } from './http-hook.ts';
export { type HttpJobArgs, HttpJobOperator } from './http-job-operator.ts';
export { type HttpJobEvent, HttpJobTrigger, type HttpJobTriggerKwargs } from './http-job-trigger.ts';
export { HttpOperator, type HttpOperatorArgs } from './http-operator.ts';
export type { HttpAnswer, HttpMethod, HttpRequest } from './http-request.ts';
export { HttpSensor, type HttpSensorArgs } from './http-sensor.ts';
export { HttpStatusError } from './http-status-error.ts';
export type { HttpTarget } from './http-target.ts';
export { HttpUnreachableError } from './http-unreachable-error.ts';
export { HttpUrlError } from './http-url-error.ts';
