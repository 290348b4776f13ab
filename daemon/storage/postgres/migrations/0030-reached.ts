import type { Migration } from "./migration.ts";

/** A daemon that has just started cannot know by itself whether the others are silent or were cut off. */
export const reached: Migration = {
  number: 30,
  title: "since when daemons have reached the database",
  sql: `
-- Written with each renewal of a lease. A gap was an outage, and nobody is fenced for a whole lease after it.
create table reached (
  is_one boolean primary key default true check (is_one),
  since timestamptz not null default clock_timestamp(),
  last timestamptz not null default clock_timestamp()
);
insert into reached default values;
`,
};
