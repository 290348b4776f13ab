import type { Migration } from "./migration.ts";

/** What daemons share beside the lines. docs/postgres.md, "Documents". */
export const documents: Migration = {
  number: 20,
  title: "documents, sealed secrets and provider files",
  sql: `
-- Whoever changes a document holds this row until it is committed, so changes have one order.
create table document_head (
  is_only boolean primary key default true check (is_only),
  n bigint not null check (n >= 0)
);
insert into document_head (n) values (0);

create table documents (
  name text primary key,
  -- JSON, or sealed where the name begins with sealed/ or connections/. Null: it was removed.
  body text,
  changed bigint not null unique
);

-- Provider files as they were when runs began under them, by their SHA-256.
create table provider_files (
  hash text primary key,
  file text not null,
  body text not null
);
`,
};
