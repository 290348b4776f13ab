import type { Migration } from "./migration.ts";

/*
 * A daemon renews its one row; one whose lease is over may be fenced by any other, which then owns its runs. Every commit looks
 * at its own row after it has locked the head of the lines, and fencing locks the head too: either a line is before the
 * fencing, and whoever takes the run over has read it, or it is refused.
 */
export const cluster: Migration = {
  number: 10,
  title: "the daemons that work on the database",
  sql: `
create table daemons (
  id text primary key,
  started_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz not null,
  fenced boolean not null default false,
  facts jsonb not null default '{}'
);

-- Who drives an open run. Written in the transaction of its first line, removed in that of its last one.
create table run_owners (
  run_id text primary key,
  owner text not null
);
create index on run_owners (owner);

-- What is asked of a run at a daemon that does not drive it. A row, because a notification may be lost.
create table run_orders (
  id uuid primary key,
  run_id text not null,
  asked_at timestamptz not null default clock_timestamp(),
  body jsonb not null,
  -- The daemon that carries it out.
  taken_by text,
  outcome jsonb
);
create index on run_orders (run_id) where outcome is null;

-- The one daemon that does what only one may do: schedules, deliveries, renewals, retention.
create table chores (
  is_one boolean primary key default true check (is_one),
  leader text
);
insert into chores (leader) values (null);
`,
};
