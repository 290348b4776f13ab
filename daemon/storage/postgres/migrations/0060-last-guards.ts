import type { Migration } from "./migration.ts";

/*
 * What can be there once, whatever a daemon believes: the lines say the same, and a daemon decides by them. Daemons of the version
 * before write lines without these rows, and tools that copy lines do too; so a row may be missing, and one may be left over.
 * daemon/storage/postgres/last-guards.ts, docs/storage.md, "In PostgreSQL".
 */
export const lastGuards: Migration = {
  number: 60,
  title: "Idempotency-Keys and ids at providers, each there once",
  sql: `
create table used_keys (
  -- SHA-256 of workspace and key, after what it was used for.
  key text primary key,
  -- When, by the daemon that used it: milliseconds since 1970.
  used_ms bigint not null,
  -- For which run; null for another request.
  run_id text,
  at timestamptz not null default clock_timestamp()
);
create index on used_keys (at);

-- Ids that live resources have at their providers.
create table held_ids (
  -- SHA-256 of provider, kind and id.
  name text primary key,
  resource_id text not null unique
);
`,
};
