// Every public name of the package. The subpaths export the same by service; classpaths name the subpaths.
export * from './athena/index.ts';
export * from './aws/index.ts';
export * from './batch/index.ts';
export * from './ecs/index.ts';
export * from './emr/index.ts';
export * from './glue/index.ts';
export * from './lambda/index.ts';
export * from './redshift/index.ts';
export * from './s3/index.ts';
export * from './sagemaker/index.ts';
export * from './step-functions/index.ts';
