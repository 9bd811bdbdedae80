-- Tests of connections: asked for by one process, run as a workload, answered to another. Rows live for an hour.
create table connection_test (
  id bigint generated always as identity primary key,
  conn_id text not null,
  fields bytea not null,                     -- encrypted; empty once the test has ended
  hook text not null,
  state text not null default 'waiting',     -- waiting, dispatched, running, ended
  result jsonb,
  created_at timestamptz(3) not null default now()
);
create index connection_test_waiting on connection_test (id) where state = 'waiting';
