import { operations } from "../../shared/contract/index.ts";
import { ApiError } from "../../shared/errors.ts";
import { decodeCursor } from "../http/cursor.ts";
import { reply, type Route, route } from "../http/route.ts";

/** No endpoint makes durable things yet, so that every list is empty and every id unknown. */
export function resourceRoutes(): Route[] {
  return [
    route(operations.listResources, ({ query }) => {
      checkFilters(query);
      return reply(200, { items: [] });
    }),
    route(operations.getResource, ({ params }) => notFound(params.resourceId)),
    route(operations.getResourceExternal, ({ params }) => notFound(params.resourceId)),
    route(operations.listResourceEvents, ({ params }) => notFound(params.resourceId)),
    route(operations.releaseResource, ({ params }) => notFound(params.resourceId)),
  ];
}

/** Contract semantics, 12: which filters go together. */
function checkFilters(query: {
  cursor?: string | undefined;
  provider?: string | undefined;
  resourceType?: string | undefined;
  parent?: string | undefined;
  includeChildren?: boolean | undefined;
}): void {
  if (query.resourceType !== undefined && query.provider === undefined) {
    throw new ApiError("invalidInput", "query.resourceType: takes query.provider beside it");
  }
  if (query.parent !== undefined && query.includeChildren !== undefined) {
    throw new ApiError("invalidInput", "query.parent: cannot go with query.includeChildren; send one of them");
  }
  if (query.cursor !== undefined) {
    decodeCursor("resources", query.cursor);
  }
  if (query.parent !== undefined) {
    notFound(query.parent);
  }
}

function notFound(resourceId: string): never {
  throw new ApiError("notFound", `Resource ${resourceId} not found`);
}
