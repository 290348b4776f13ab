import type { Migration } from "./migration.ts";

/** Of two that go on from the same lines, each would call providers and charge. docs/postgres.md, "Moving to it and back". */
export const move: Migration = {
  number: 40,
  title: "where everything is being moved, or was moved",
  sql: `
-- At most one row; without it, daemons may work here.
create table move (
  is_one boolean primary key default true check (is_one),
  -- coming: a folder is being moved here. going: everything here is being moved into a folder. gone: it was.
  state text not null check (state in ('coming', 'going', 'gone')),
  -- The folder.
  place text not null,
  at timestamptz not null default clock_timestamp()
);
`,
};
