import type { Migration } from "./migration.ts";

/*
 * Resources that have ended are in no daemon's memory. Their rows are made of the lines by the database itself, so that lines have
 * them whoever writes: daemons of the version before, and tools that copy lines. A line that cannot be understood gives none, and
 * is written all the same. docs/decisions/2026-11-28-ended-resources-leave-memory.md
 *
 * The lines of before are read without a lock that writers wait for; then the trigger is made, and what came meanwhile is read.
 */
export const endedResourcesTable: Migration = {
  number: 70,
  title: "resources that have ended",
  sql: String.raw`
create table ended_resources (
  resource_id text collate "C" primary key,
  workspace_id text collate "C" not null,
  -- The line that ended it.
  month integer not null,
  n bigint not null,
  -- What filters ask for, as in the record.
  provider text not null,
  resource_type text not null,
  state text not null,
  provisioned_by text not null,
  -- Number of the last paid period; 0 without rent.
  cycle integer not null,
  -- Of its last change or event, whichever is later, ISO 8601.
  ended_at text collate "C" not null
);
create index on ended_resources (workspace_id, resource_id desc);
-- What usage asks for.
create index on ended_resources (workspace_id, resource_id desc) where cycle > 1;

-- What JSON may have and text may not, such as a NUL, is replaced in all of the line before it is looked into.
create function ended_resources_of(body text)
returns table (resource_id text, workspace_id text, provider text, resource_type text, state text, provisioned_by text, cycle integer, ended_at text)
language plpgsql immutable as $$
declare
  line json;
begin
  line := regexp_replace(body, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'gi')::json;
  return query
    select distinct on (one ->> 'resourceId') one ->> 'resourceId', one ->> 'workspaceId', coalesce(one ->> 'provider', ''), coalesce(one ->> 'resourceType', ''),
      one ->> 'state', coalesce(one ->> 'provisionedBy', ''), coalesce((one -> 'renewal' ->> 'cycle')::integer, 0),
      greatest(coalesce(one ->> 'updatedAt', '') collate "C", (
        select max(event ->> 'at' collate "C")
        from json_array_elements(case json_typeof(one -> 'events') when 'array' then one -> 'events' else '[]' end) as event
      ))
    from (
      select line -> 'resource' as one where line ->> 't' = 'resource.changed'
      union all
      select json_array_elements(line -> 'res') where line ->> 't' = 'run.done' and json_typeof(line -> 'res') = 'array'
    ) as changed
    where one ->> 'state' in ('RELEASED', 'PROVISION_FAILED')
      and length(one ->> 'resourceId') < 500 and length(one ->> 'workspaceId') < 500;
exception when others then
  return;
end $$;

create function keep_ended_resources() returns trigger language plpgsql as $$
begin
  insert into ended_resources (resource_id, workspace_id, month, n, provider, resource_type, state, provisioned_by, cycle, ended_at)
    select resource_id, workspace_id, new.month, new.n, provider, resource_type, state, provisioned_by, cycle, ended_at
    from ended_resources_of(new.body)
    on conflict (resource_id) do update set (workspace_id, month, n, provider, resource_type, state, provisioned_by, cycle, ended_at)
      = row (excluded.workspace_id, excluded.month, excluded.n, excluded.provider, excluded.resource_type, excluded.state,
        excluded.provisioned_by, excluded.cycle, excluded.ended_at);
  return null;
end $$;

-- Whoever writes a line need not have rights on the table, nor name its schema: a daemon of the version before under a role of its own, or
-- pg_restore, which looks into no schema.
do $$
declare
  found_in text := format('pg_catalog, %I, pg_temp', current_schema());
begin
  execute format('alter function ended_resources_of(text) set search_path = %s', found_in);
  execute format('alter function keep_ended_resources() security definer set search_path = %s', found_in);
end $$;

select set_config('mkt.read_before', n::text, true) from head;

insert into ended_resources (resource_id, workspace_id, month, n, provider, resource_type, state, provisioned_by, cycle, ended_at)
  select distinct on (resource_id) resource_id, workspace_id, month, n, provider, resource_type, state, provisioned_by, cycle, ended_at
  from lines, ended_resources_of(body)
  where n <= current_setting('mkt.read_before')::bigint and (strpos(body, '"state":"RELEASED"') > 0 or strpos(body, '"state":"PROVISION_FAILED"') > 0)
  order by resource_id, n desc;

-- A commit that comes while a lock is waited for stands behind it: so it is waited for briefly, again and again, as long as a migration may
-- take.
do $$
begin
  loop
    begin
      perform set_config('lock_timeout', '2s', true);
      lock table lines in share row exclusive mode;
      perform set_config('lock_timeout', '0', true);
      return;
    exception when lock_not_available then
      if clock_timestamp() > statement_timestamp() + interval '55 minutes' then
        raise exception 'the table lines was in use for 55 minutes';
      end if;
      perform pg_sleep(2);
    end;
  end loop;
end $$;

create trigger keep_ended_resources after insert on lines for each row
when (strpos(new.body, '"state":"RELEASED"') > 0 or strpos(new.body, '"state":"PROVISION_FAILED"') > 0)
execute function keep_ended_resources();

insert into ended_resources (resource_id, workspace_id, month, n, provider, resource_type, state, provisioned_by, cycle, ended_at)
  select distinct on (resource_id) resource_id, workspace_id, month, n, provider, resource_type, state, provisioned_by, cycle, ended_at
  from lines, ended_resources_of(body)
  where n > current_setting('mkt.read_before')::bigint and (strpos(body, '"state":"RELEASED"') > 0 or strpos(body, '"state":"PROVISION_FAILED"') > 0)
  order by resource_id, n desc
  on conflict do nothing;
`,
};
