/** What the processes of the platform call themselves in the table of jobs. */
export const SCHEDULER = 'SchedulerJob';
export const TRIGGERER = 'Triggerer';
export const DAG_PROCESSOR = 'DagProcessor';
