// Every public name of @windhover/provider-google/gcs.

export { GCSHook, type GCSObject } from './gcs-hook.ts';
export { type GCSObjectExistenceArgs, GCSObjectExistenceSensor } from './gcs-object-existence-sensor.ts';
export { type GCSObjectUpdateArgs, GCSObjectUpdateSensor } from './gcs-object-update-sensor.ts';
export {
  type GCSObjectsWithPrefixArgs,
  GCSObjectsWithPrefixExistenceSensor,
} from './gcs-objects-with-prefix-existence-sensor.ts';
export type { GCSArgs } from './gcs-sensor.ts';
export {
  type GCSUploadSessionCompleteArgs,
  GCSUploadSessionCompleteSensor,
} from './gcs-upload-session-complete-sensor.ts';
export {
  type GCSUploadSessionCompleteKwargs,
  GCSUploadSessionCompleteTrigger,
} from './gcs-upload-session-complete-trigger.ts';
export type { UploadSessionRules } from './upload-session.ts';
