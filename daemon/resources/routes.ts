import { operations } from "../../shared/contract/index.ts";
import { ApiError } from "../../shared/errors.ts";
import type { ClientKind } from "../../shared/hints/client-kind.ts";
import { decodeCursor, encodeCursor } from "../http/cursors/cursor.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import type { ResourceRecord } from "../ledger/records/resource-record.ts";
import type { ResourceService } from "./resource-service.ts";
import { toReleaseAccepted, toResource, toResourceEvent } from "./resource-wire.ts";

const DEFAULT_PAGE = 10;

export function resourceRoutes({
  resources,
  ids,
}: {
  resources: ResourceService;
  ids: Pick<WireIds, "ofResource">;
}): Route[] {
  const show = async (resource: ResourceRecord, client: ClientKind | undefined) =>
    toResource(await ids.ofResource(resource), {
      isReadable: resources.isReadable(resource),
      isReleasable: resources.isReleasable(resource),
      client,
    });

  return [
    route(operations.listResources, async ({ caller, query, client }) => {
      checkFilters(query);
      const after = query.cursor === undefined ? undefined : String(decodeCursor("resources", query.cursor));
      const { items, next } = await resources.list(caller, query, { limit: query.limit ?? DEFAULT_PAGE, after });
      return reply(200, {
        items: await Promise.all(items.map((resource) => show(resource, client))),
        ...(next !== undefined && { cursor: encodeCursor("resources", next) }),
      });
    }),
    route(operations.getResource, async ({ caller, params, client }) =>
      reply(200, await show(await resources.get(caller, params.resourceId), client)),
    ),
    route(operations.getResourceExternal, async ({ caller, params, signal }) => {
      const { kind } = params;
      const { resource, data } = await resources.readLive(caller, params.resourceId, { kind, signal });
      return reply(200, { kind, displayName: resource.displayName, label: resource.identifier, data: { ...data } });
    }),
    route(operations.listResourceEvents, async ({ caller, params, query }) => {
      const resource = await resources.get(caller, params.resourceId);
      const after = query.cursor === undefined ? undefined : String(decodeCursor("resource-events", query.cursor));
      const { items, next } = eventsAfter(resource, after, query.limit ?? DEFAULT_PAGE);
      return reply(200, {
        items: items.map(toResourceEvent),
        ...(next !== undefined && { cursor: encodeCursor("resource-events", next) }),
      });
    }),
    route(operations.releaseResource, async ({ caller, params }) =>
      reply(202, toReleaseAccepted(await resources.release(caller, params.resourceId))),
    ),
  ];
}

/** A page of events, oldest first. The oldest of very many are dropped: after one that is gone the list begins anew. */
function eventsAfter({ events }: ResourceRecord, after: string | undefined, limit: number) {
  const from = after === undefined ? 0 : events.findIndex(({ eventId }) => eventId === after) + 1;
  const items = events.slice(from, from + limit);
  const last = items.at(-1);
  return from + limit < events.length && last !== undefined ? { items, next: last.eventId } : { items };
}

/** docs/contract.md, "Resource lists": which filters go together. */
function checkFilters(query: {
  provider?: string | undefined;
  resourceType?: string | undefined;
  parent?: string | undefined;
  includeChildren?: boolean | undefined;
}): void {
  if (query.resourceType !== undefined && query.provider === undefined) {
    throw new ApiError("invalidInput", "query.resourceType: needs query.provider as well");
  }
  if (query.parent !== undefined && query.includeChildren !== undefined) {
    throw new ApiError("invalidInput", "query.parent: cannot be combined with query.includeChildren; send one of them");
  }
}
