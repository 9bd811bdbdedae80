-- The lease of a trigger is that of its triggerer: one row is renewed, however many triggers wait.

-- What a triggerer calls itself; other jobs have no name. The epoch rises when it missed an answer: no older sync claims.
alter table job add column name text;
alter table job add column epoch bigint not null default 0;
create unique index job_triggerer on job (name) where type = 'Triggerer' and state = 'running';

alter table trigger drop column lease_expires_at;

-- The attempt and the try that deferred: the task may have gone on to others while its trigger is cancelled.
alter table trigger add column attempt integer;
alter table trigger add column try_number integer;
-- In the order of claims, so that a claim costs what it takes, however many wait. A row that waits for its hour comes
-- in when `not_before` is cleared.
create index trigger_claimable on trigger (state, priority_weight desc, id) where triggerer_id is null and not_before is null;
create index trigger_not_before on trigger (not_before) where not_before is not null;
create index trigger_triggerer on trigger (triggerer_id) where triggerer_id is not null;

-- Leases that were taken from a triggerer, until it is told.
create table dropped_trigger (
  triggerer_id text not null,
  trigger_id bigint not null,
  lease_epoch bigint not null,
  reason text not null,                      -- killed, leaseLost
  dropped_at timestamptz(3) not null default now(),
  primary key (triggerer_id, trigger_id, lease_epoch)
);
