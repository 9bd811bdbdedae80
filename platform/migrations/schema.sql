create table active_task (
  task_instance_id bigint not null,
  dag_id text not null,
  task_id text not null,
  dag_run_id bigint not null,
  pool text not null,
  pool_slots integer not null,
  is_deferred boolean not null default false,
  constraint active_task_pkey PRIMARY KEY (task_instance_id),
  constraint active_task_task_instance_id_fkey FOREIGN KEY (task_instance_id) REFERENCES task_instance(id) ON DELETE CASCADE
);

create table audit (
  id bigint not null generated always as identity,
  at timestamp(3) with time zone not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  details jsonb not null default '{}'::jsonb,
  constraint audit_pkey PRIMARY KEY (id)
);

create table backfill (
  id bigint not null generated always as identity,
  dag_id text not null,
  from_date timestamp(3) with time zone not null,
  to_date timestamp(3) with time zone not null,
  max_active_runs integer not null,
  is_reverse boolean not null default false,
  reprocess text not null default 'none'::text,
  conf jsonb not null default '{}'::jsonb,
  is_paused boolean not null default false,
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  total_runs integer not null default 0,
  next_position integer not null default 0,
  is_cancelled boolean not null default false,
  constraint backfill_pkey PRIMARY KEY (id)
);
CREATE INDEX backfill_unfinished ON public.backfill USING btree (id) WHERE (ended_at IS NULL);

create table callback_outbox (
  id bigint not null generated always as identity,
  dag_run_id bigint not null,
  task_instance_id bigint,
  callback text not null,
  facts jsonb not null,
  state text not null default 'waiting'::text,
  created_at timestamp(3) with time zone not null default now(),
  ended_at timestamp(3) with time zone,
  error jsonb,
  job_id bigint,
  attempts integer not null default 0,
  constraint callback_outbox_dag_run_id_fkey FOREIGN KEY (dag_run_id) REFERENCES dag_run(id) ON DELETE CASCADE,
  constraint callback_outbox_pkey PRIMARY KEY (id),
  constraint callback_outbox_task_instance_id_fkey FOREIGN KEY (task_instance_id) REFERENCES task_instance(id) ON DELETE CASCADE
);
CREATE INDEX callback_outbox_open ON public.callback_outbox USING btree (job_id) WHERE (state = ANY (ARRAY['dispatched'::text, 'running'::text]));
CREATE INDEX callback_outbox_waiting ON public.callback_outbox USING btree (id) WHERE (state = 'waiting'::text);

create table connection (
  conn_id text not null,
  conn_type text not null,
  fields bytea not null,
  updated_at timestamp(3) with time zone not null default now(),
  constraint connection_pkey PRIMARY KEY (conn_id)
);

create table connection_test (
  id bigint not null generated always as identity,
  conn_id text not null,
  fields bytea not null,
  hook text not null,
  state text not null default 'waiting'::text,
  result jsonb,
  created_at timestamp(3) with time zone not null default now(),
  constraint connection_test_pkey PRIMARY KEY (id)
);
CREATE INDEX connection_test_waiting ON public.connection_test USING btree (id) WHERE (state = 'waiting'::text);

create table dag (
  dag_id text not null,
  file text not null,
  code_hash text not null,
  version_id bigint not null,
  is_active boolean not null default true,
  is_paused boolean not null default false,
  next_logical_date timestamp(3) with time zone,
  next_interval_end timestamp(3) with time zone,
  next_run_at timestamp(3) with time zone,
  log_offset bigint not null default 0,
  updated_at timestamp(3) with time zone not null default now(),
  max_active_runs integer not null default 16,
  scheduled_until timestamp(3) with time zone,
  constraint dag_pkey PRIMARY KEY (dag_id),
  constraint dag_version_id_fkey FOREIGN KEY (version_id) REFERENCES dag_version(id)
);
CREATE INDEX dag_next_run_at ON public.dag USING btree (next_run_at) WHERE (is_active AND (NOT is_paused));

create table dag_run (
  id bigint not null generated always as identity,
  dag_id text not null,
  run_id text not null,
  run_type text not null,
  logical_date timestamp(3) with time zone not null,
  interval_start timestamp(3) with time zone not null,
  interval_end timestamp(3) with time zone not null,
  state text not null default 'queued'::text,
  conf jsonb not null default '{}'::jsonb,
  version_id bigint not null,
  backfill_id bigint,
  dedupe_key text,
  reason text,
  lock_id bigint,
  lock_epoch bigint not null default 0,
  lock_expires_at timestamp(3) with time zone,
  log_offset bigint not null default 0,
  queued_at timestamp(3) with time zone not null default now(),
  started_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  constraint dag_run_backfill_id_fkey FOREIGN KEY (backfill_id) REFERENCES backfill(id),
  constraint dag_run_dag_id_dedupe_key_key UNIQUE (dag_id, dedupe_key),
  constraint dag_run_dag_id_logical_date_key UNIQUE (dag_id, logical_date),
  constraint dag_run_dag_id_run_id_key UNIQUE (dag_id, run_id),
  constraint dag_run_pkey PRIMARY KEY (id),
  constraint dag_run_version_id_fkey FOREIGN KEY (version_id) REFERENCES dag_version(id)
);
CREATE INDEX dag_run_backfill ON public.dag_run USING btree (backfill_id, id) WHERE (backfill_id IS NOT NULL);
CREATE INDEX dag_run_queued ON public.dag_run USING btree (dag_id, queued_at, id) WHERE (state = 'queued'::text);
CREATE INDEX dag_run_running ON public.dag_run USING btree (dag_id) WHERE (state = 'running'::text);

create table dag_version (
  id bigint not null generated always as identity,
  dag_id text not null,
  hash text not null,
  serialized jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  constraint dag_version_dag_id_hash_key UNIQUE (dag_id, hash),
  constraint dag_version_pkey PRIMARY KEY (id)
);

create table deadline (
  id bigint not null generated always as identity,
  dag_run_id bigint not null,
  position integer not null,
  due_at timestamp(3) with time zone not null,
  is_met boolean,
  constraint deadline_dag_run_id_fkey FOREIGN KEY (dag_run_id) REFERENCES dag_run(id) ON DELETE CASCADE,
  constraint deadline_dag_run_id_position_key UNIQUE (dag_run_id, "position"),
  constraint deadline_pkey PRIMARY KEY (id)
);
CREATE INDEX deadline_open ON public.deadline USING btree (due_at) WHERE (is_met IS NULL);

create table dropped_trigger (
  triggerer_id text not null,
  trigger_id bigint not null,
  lease_epoch bigint not null,
  reason text not null,
  dropped_at timestamp(3) with time zone not null default now(),
  constraint dropped_trigger_pkey PRIMARY KEY (triggerer_id, trigger_id, lease_epoch)
);

create table import_error (
  id bigint not null generated always as identity,
  file text not null,
  line integer,
  message text not null,
  stack text,
  created_at timestamp(3) with time zone not null default now(),
  constraint import_error_pkey PRIMARY KEY (id)
);
CREATE INDEX import_error_file ON public.import_error USING btree (file);

create table job (
  id bigint not null generated always as identity,
  type text not null,
  hostname text not null,
  pid integer not null,
  state text not null default 'running'::text,
  started_at timestamp(3) with time zone not null default now(),
  heartbeat_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  host_id text,
  name text,
  epoch bigint not null default 0,
  constraint job_pkey PRIMARY KEY (id)
);
CREATE INDEX job_living ON public.job USING btree (type) WHERE (state = 'running'::text);
CREATE UNIQUE INDEX job_triggerer ON public.job USING btree (name) WHERE ((type = 'Triggerer'::text) AND (state = 'running'::text));

create table pool (
  name text not null,
  slots integer not null,
  include_deferred boolean not null default false,
  description text not null default ''::text,
  constraint pool_pkey PRIMARY KEY (name),
  constraint pool_slots_check CHECK ((slots >= '-1'::integer))
);

create table schema_migration (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp(3) with time zone not null default now(),
  constraint schema_migration_pkey PRIMARY KEY (version)
);

create table signal (
  log_offset bigint not null generated always as identity,
  namespace text not null default 'default'::text,
  key text not null,
  version bigint not null,
  value jsonb not null,
  sender text not null default ''::text,
  scope_dag_id text,
  scope_run_id text,
  dag_run_id bigint,
  task_instance_id bigint,
  dedupe_key text,
  sent_at timestamp(3) with time zone not null default now(),
  constraint signal_pkey PRIMARY KEY (log_offset)
);
CREATE INDEX signal_key_version ON public.signal USING btree (namespace, key, version);

create table signal_dedupe (
  namespace text not null,
  dedupe_key text not null,
  log_offset bigint not null,
  sent_at timestamp(3) with time zone not null default now(),
  constraint signal_dedupe_pkey PRIMARY KEY (namespace, dedupe_key)
);

create table signal_key (
  namespace text not null,
  key text not null,
  version bigint not null default 0,
  constraint signal_key_pkey PRIMARY KEY (namespace, key)
);

create table task_attempt (
  task_instance_id bigint not null,
  attempt integer not null,
  try_number integer not null,
  state text not null,
  started_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone not null default now(),
  running_ms bigint not null,
  deferred_ms bigint not null,
  epoch bigint not null,
  reason text,
  error jsonb,
  constraint task_attempt_pkey PRIMARY KEY (task_instance_id, attempt, try_number, epoch),
  constraint task_attempt_task_instance_id_fkey FOREIGN KEY (task_instance_id) REFERENCES task_instance(id) ON DELETE CASCADE
);

create table task_instance (
  id bigint not null generated always as identity,
  dag_run_id bigint not null,
  task_id text not null,
  map_index integer not null default '-1'::integer,
  state text not null default 'none'::text,
  try_number integer not null default 1,
  attempt integer not null default 1,
  epoch bigint not null default 0,
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
  trigger_timeout timestamp(3) with time zone,
  on_timeout text,
  next_method text,
  next_kwargs bytea,
  resume_at timestamp(3) with time zone,
  deadline_at timestamp(3) with time zone,
  sensor_started_at timestamp(3) with time zone,
  scheduled_at timestamp(3) with time zone,
  queued_at timestamp(3) with time zone,
  started_at timestamp(3) with time zone,
  running_since timestamp(3) with time zone,
  deferred_since timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  running_ms bigint not null default 0,
  queued_ms bigint not null default 0,
  deferred_ms bigint not null default 0,
  hostname text,
  pid integer,
  error jsonb,
  constraint task_instance_dag_run_id_fkey FOREIGN KEY (dag_run_id) REFERENCES dag_run(id) ON DELETE CASCADE,
  constraint task_instance_dag_run_id_task_id_map_index_key UNIQUE (dag_run_id, task_id, map_index),
  constraint task_instance_pkey PRIMARY KEY (id)
);

create table task_step (
  task_instance_id bigint not null,
  hop integer not null,
  sequence integer not null,
  name text not null,
  value bytea not null,
  constraint task_step_pkey PRIMARY KEY (task_instance_id, hop, sequence),
  constraint task_step_task_instance_id_fkey FOREIGN KEY (task_instance_id) REFERENCES task_instance(id) ON DELETE CASCADE
);

create table trigger (
  id bigint not null generated always as identity,
  classpath text not null,
  kwargs bytea not null,
  created_at timestamp(3) with time zone not null default now(),
  state text not null default 'waiting'::text,
  kill_reason text,
  not_before timestamp(3) with time zone,
  queue text not null default 'default'::text,
  priority_weight double precision not null default 1,
  triggerer_id text,
  lease_epoch bigint not null default 0,
  share_key text,
  checkpoint bytea,
  last_poll jsonb,
  task_instance_id bigint,
  dag_id text,
  attempt integer,
  try_number integer,
  constraint trigger_pkey PRIMARY KEY (id)
);
CREATE INDEX trigger_claimable ON public.trigger USING btree (state, priority_weight DESC, id) WHERE ((triggerer_id IS NULL) AND (not_before IS NULL));
CREATE INDEX trigger_not_before ON public.trigger USING btree (not_before) WHERE (not_before IS NOT NULL);
CREATE UNIQUE INDEX trigger_share_key ON public.trigger USING btree (share_key) WHERE (state = 'waiting'::text);
CREATE INDEX trigger_triggerer ON public.trigger USING btree (triggerer_id) WHERE (triggerer_id IS NOT NULL);

create table variable (
  key text not null,
  value bytea not null,
  updated_at timestamp(3) with time zone not null default now(),
  constraint variable_pkey PRIMARY KEY (key)
);

create table xcom (
  dag_run_id bigint not null,
  task_id text not null,
  map_index integer not null,
  key text not null,
  attempt integer not null,
  value jsonb,
  reference jsonb,
  created_at timestamp(3) with time zone not null default now(),
  constraint xcom_dag_run_id_fkey FOREIGN KEY (dag_run_id) REFERENCES dag_run(id) ON DELETE CASCADE,
  constraint xcom_pkey PRIMARY KEY (dag_run_id, task_id, map_index, key)
);
