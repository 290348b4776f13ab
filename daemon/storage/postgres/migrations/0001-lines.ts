import type { Migration } from "./migration.ts";

/*
 * The journal in tables. `month` (as 202611) is the month of the database's clock in which a line was written; it never goes
 * back from one line to the next. Large tables are divided by it. docs/storage.md, "In PostgreSQL".
 */
export const lines: Migration = {
  number: 1,
  title: "the lines, and what finds them",
  sql: `
-- The end of the journal. Whoever writes lines holds this row until they are committed, so lines have one order.
create table head (
  one boolean primary key default true check (one),
  n bigint not null check (n >= 0),
  month integer not null
);
insert into head (n, month) values (0, 0);

create table lines (
  n bigint not null check (n > 0),
  month integer not null,
  -- The commit that wrote it: tells whether one whose answer was lost was done.
  batch uuid not null,
  -- The line as in a file, without the output of a run.
  body text not null,
  primary key (n, month)
) partition by list (month);

-- Finished runs.
create table runs (
  month integer not null,
  -- The line that ended it.
  n bigint not null,
  -- The line that made it known: the order of runs in lists.
  accepted bigint not null,
  run_id text not null,
  workspace_id text not null,
  created_ms bigint not null,
  -- What filters ask for.
  terms text[] not null,
  -- What sums need, as JSON.
  facts text not null,
  idempotency_key text,
  kept_key text,
  primary key (n, month),
  unique (run_id, month)
) partition by list (month);
create index on runs (workspace_id, accepted desc);
create index on runs using gin (terms);
create index on runs (idempotency_key, n desc) where idempotency_key is not null;
create index on runs (kept_key, n desc) where kept_key is not null;

-- Lines that moved money of a workspace.
create table movements (
  month integer not null,
  workspace_id text not null,
  n bigint not null,
  primary key (workspace_id, n, month)
) partition by list (month);

-- Outputs of runs, as JSON in pieces.
create table outputs (
  month integer not null,
  -- The line that ended the run.
  n bigint not null,
  piece integer not null,
  -- When the run ended, ISO 8601 in UTC.
  ended_at text collate "C" not null,
  body text not null,
  primary key (n, piece, month)
) partition by list (month);
create index on outputs (ended_at);

-- Outputs of runs that ended before a time were removed.
create table removals (
  before text collate "C" primary key,
  at text not null
);

-- The months that the tables above have, and when the runs were created that ended in them (milliseconds since 1970).
create table months (
  month integer primary key,
  created_from bigint,
  created_to bigint
);

-- The ledger's balances: micro-dollars. The state of a daemon says the same; this is the last guard.
create table accounts (
  account text primary key,
  micro bigint not null,
  check (abs(micro) <= 9007199254740991),
  check (account not like 'ws:%:held' or micro >= 0)
);

-- What all lines up to n made, so that a start does not read them all.
create table snapshots (
  n bigint primary key,
  version integer not null,
  body text not null
);
`,
};
