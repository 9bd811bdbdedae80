-- Scheduling: which DAG is due, who may begin, and who still lives.

-- Copied from the version, so that claims need not read documents.
alter table dag add column max_active_runs integer not null default 16;
-- The last logical date its schedule has dealt with; it need not have made a run, where a backfill had that date.
alter table dag add column scheduled_until timestamptz(3);
create index dag_next_run_at on dag (next_run_at) where is_active and not is_paused;

create index dag_run_queued on dag_run (dag_id, queued_at, id) where state = 'queued';
create index dag_run_running on dag_run (dag_id) where state = 'running';
create index dag_run_backfill on dag_run (backfill_id, id) where backfill_id is not null;
drop index dag_run_unfinished;

-- Which machine since which boot, and which space of process ids: only there can a process be seen to be dead.
alter table job add column host_id text;
create index job_living on job (type) where state = 'running';

-- Runs of a backfill are made one after the other, as many as may run at once.
alter table backfill add column total_runs integer not null default 0;
alter table backfill add column next_position integer not null default 0;
alter table backfill add column is_cancelled boolean not null default false;
create index backfill_unfinished on backfill (id) where ended_at is null;

alter table callback_outbox add column job_id bigint;
alter table callback_outbox add column attempts integer not null default 0;
create index deadline_open on deadline (due_at) where is_met is null;
create index callback_outbox_open on callback_outbox (job_id) where state in ('dispatched', 'running');
