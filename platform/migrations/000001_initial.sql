-- The state of the platform. Instants are timestamptz(3), because JavaScript's dates have milliseconds; the database is
-- the clock. Encrypted columns are bytea and say so.

create table job (
  id bigint generated always as identity primary key,
  type text not null,
  hostname text not null,
  pid integer not null,
  state text not null default 'running',
  started_at timestamptz(3) not null default now(),
  heartbeat_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3)
);

create table dag_version (
  id bigint generated always as identity primary key,
  dag_id text not null,
  hash text not null,
  serialized jsonb not null,
  created_at timestamptz(3) not null default now(),
  unique (dag_id, hash)
);

create table dag (
  dag_id text primary key,
  file text not null,
  code_hash text not null,
  version_id bigint not null references dag_version,
  is_active boolean not null default true,
  is_paused boolean not null default false,
  -- The next run that its schedule asks for; null where there is none.
  next_logical_date timestamptz(3),
  next_interval_end timestamptz(3),
  next_run_at timestamptz(3),
  log_offset bigint not null default 0,
  updated_at timestamptz(3) not null default now()
);

create table import_error (
  id bigint generated always as identity primary key,
  file text not null,
  line integer,
  message text not null,
  stack text,
  created_at timestamptz(3) not null default now()
);
create index import_error_file on import_error (file);

create table backfill (
  id bigint generated always as identity primary key,
  dag_id text not null,
  from_date timestamptz(3) not null,
  to_date timestamptz(3) not null,
  max_active_runs integer not null,
  is_reverse boolean not null default false,
  reprocess text not null default 'none',
  conf jsonb not null default '{}',
  is_paused boolean not null default false,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3)
);

create table dag_run (
  id bigint generated always as identity primary key,
  dag_id text not null,
  run_id text not null,
  run_type text not null,
  logical_date timestamptz(3) not null,
  interval_start timestamptz(3) not null,
  interval_end timestamptz(3) not null,
  state text not null default 'queued',
  conf jsonb not null default '{}',
  version_id bigint not null references dag_version,
  backfill_id bigint references backfill,
  dedupe_key text,
  reason text,
  -- Who executes it: a job, under a lease. Each claim raises the epoch.
  lock_id bigint,
  lock_epoch bigint not null default 0,
  lock_expires_at timestamptz(3),
  log_offset bigint not null default 0,
  queued_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  unique (dag_id, logical_date),
  unique (dag_id, run_id),
  unique (dag_id, dedupe_key)
);
-- Only unfinished runs are claimed; finished ones leave the index.
create index dag_run_unfinished on dag_run (queued_at, id) where state in ('queued', 'running');

create table trigger (
  id bigint generated always as identity primary key,
  classpath text not null,
  kwargs bytea not null,                     -- encrypted
  created_at timestamptz(3) not null default now(),
  state text not null default 'waiting',     -- waiting, cancelling
  kill_reason text,
  not_before timestamptz(3),
  queue text not null default 'default',
  priority_weight double precision not null default 1,
  triggerer_id text,
  lease_epoch bigint not null default 0,
  lease_expires_at timestamptz(3),
  share_key text,
  checkpoint bytea,                          -- encrypted
  last_poll jsonb,
  task_instance_id bigint,                   -- whose wait it was, also while it is cancelled
  dag_id text
);
create unique index trigger_share_key on trigger (share_key) where state = 'waiting';

-- No index on `state`, not even in a predicate: it would defeat HOT updates, and most updates change the state.
create table task_instance (
  id bigint generated always as identity primary key,
  dag_run_id bigint not null references dag_run on delete cascade,
  task_id text not null,
  map_index integer not null default -1,
  state text not null default 'none',
  try_number integer not null default 1,
  attempt integer not null default 1,
  epoch bigint not null default 0,
  -- How many signals its state changes have sent: their versions, counted under this row's lock.
  signal_version bigint not null default 0,
  pool text not null,
  pool_slots integer not null,
  priority_weight double precision not null,
  queue text not null,
  executor text,
  external_id text,
  queued_by_job bigint,
  requested_action text,
  trigger_id bigint,
  trigger_timeout timestamptz(3),
  on_timeout text,
  next_method text,
  next_kwargs bytea,                         -- encrypted: where to go on, and the event
  resume_at timestamptz(3),                  -- of a retry or a reschedule
  deadline_at timestamptz(3),
  sensor_started_at timestamptz(3),
  scheduled_at timestamptz(3),
  queued_at timestamptz(3),
  started_at timestamptz(3),                 -- of the attempt
  running_since timestamptz(3),
  deferred_since timestamptz(3),
  ended_at timestamptz(3),
  running_ms bigint not null default 0,
  queued_ms bigint not null default 0,
  deferred_ms bigint not null default 0,
  hostname text,
  pid integer,
  error jsonb,
  unique (dag_run_id, task_id, map_index)
) with (fillfactor = 50);

-- Tasks that hold a slot or wait deferred: a small table, so that limits are counted without looking at all tasks.
create table active_task (
  task_instance_id bigint primary key references task_instance on delete cascade,
  dag_id text not null,
  task_id text not null,
  dag_run_id bigint not null,
  pool text not null,
  pool_slots integer not null,
  is_deferred boolean not null default false
) with (fillfactor = 50);

create table task_attempt (
  task_instance_id bigint not null references task_instance on delete cascade,
  attempt integer not null,
  try_number integer not null,
  state text not null,
  started_at timestamptz(3),
  ended_at timestamptz(3) not null default now(),
  running_ms bigint not null,
  deferred_ms bigint not null,
  epoch bigint not null,
  reason text,
  error jsonb,
  primary key (task_instance_id, attempt, try_number, epoch)
);

create table task_step (
  task_instance_id bigint not null references task_instance on delete cascade,
  hop integer not null,
  sequence integer not null,
  name text not null,
  value bytea not null,                      -- encrypted
  primary key (task_instance_id, hop, sequence)
);

create table xcom (
  dag_run_id bigint not null references dag_run on delete cascade,
  task_id text not null,
  map_index integer not null,
  key text not null,
  attempt integer not null,
  value jsonb,
  reference jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (dag_run_id, task_id, map_index, key)
);

-- The log. `log_offset` rises in the order of commits: the append is serialized by an advisory lock.
create table signal (
  log_offset bigint generated always as identity primary key,
  namespace text not null default 'default',
  key text not null,
  version bigint not null,
  value jsonb not null,
  sender text not null default '',
  scope_dag_id text,
  scope_run_id text,
  dag_run_id bigint,
  task_instance_id bigint,
  dedupe_key text,
  sent_at timestamptz(3) not null default now()
);
create index signal_key_version on signal (namespace, key, version);

create table signal_key (
  namespace text not null,
  key text not null,
  version bigint not null default 0,
  primary key (namespace, key)
);

create table signal_dedupe (
  namespace text not null,
  dedupe_key text not null,
  log_offset bigint not null,
  sent_at timestamptz(3) not null default now(),
  primary key (namespace, dedupe_key)
);

create table pool (
  name text primary key,
  slots integer not null check (slots >= -1),
  include_deferred boolean not null default false,
  description text not null default ''
);
insert into pool (name, slots, description) values ('default_pool', 128, 'Where tasks run that name no pool.');

create table connection (
  conn_id text primary key,
  conn_type text not null,
  fields bytea not null,                     -- encrypted
  updated_at timestamptz(3) not null default now()
);

create table variable (
  key text primary key,
  value bytea not null,                      -- encrypted
  updated_at timestamptz(3) not null default now()
);

create table callback_outbox (
  id bigint generated always as identity primary key,
  dag_run_id bigint not null references dag_run on delete cascade,
  task_instance_id bigint references task_instance on delete cascade,
  callback text not null,
  facts jsonb not null,
  state text not null default 'waiting',
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  error jsonb
);
create index callback_outbox_waiting on callback_outbox (id) where state = 'waiting';

create table deadline (
  id bigint generated always as identity primary key,
  dag_run_id bigint not null references dag_run on delete cascade,
  position integer not null,
  due_at timestamptz(3) not null,
  is_met boolean,
  unique (dag_run_id, position)
);

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  details jsonb not null default '{}'
);
