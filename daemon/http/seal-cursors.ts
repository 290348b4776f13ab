import type { HandlerRequest, Route } from "./route.ts";
import { namesUpTo, unknownCursor } from "./cursor.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import type { Sealer } from "./sealer.ts";

/**
 * The route with the cursors of its pages sealed: a place in the journal would tell a caller how much all the others do.
 * Cursors that were handed out before they were sealed are taken as they were, and others that are not sealed are 400. Those of
 * public lists are places in the catalog, which everybody may count.
 */
export function sealCursors(route: Route, sealer: Sealer): Route {
  if (route.operation.auth === "none") return route;
  return {
    ...route,
    async handle(request) {
      const answer = await route.handle(withOpenedCursor(request, sealer));
      const cursor = (answer.body as { readonly cursor?: unknown } | undefined)?.cursor;
      if (typeof cursor !== "string" || Object.getPrototypeOf(answer.body) !== Object.prototype) return answer;
      return { ...answer, body: { ...(answer.body as object), cursor: sealer.seal(cursor) } };
    },
  };
}

function withOpenedCursor(request: HandlerRequest<Operation>, sealer: Sealer): HandlerRequest<Operation> {
  const query = request.query as { readonly cursor?: unknown } | undefined;
  if (typeof query?.cursor !== "string") return request;
  return { ...request, query: { ...query, cursor: openedCursor(query.cursor, sealer) } as never };
}

function openedCursor(cursor: string, sealer: Sealer): string {
  const opened = sealer.open(cursor);
  if (opened !== undefined) return opened;
  if (!namesUpTo(cursor, sealer.unsealedUpTo)) throw unknownCursor();
  return cursor;
}
