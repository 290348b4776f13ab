import type { HandlerRequest, Route } from "../routes/route.ts";
import { namesUpTo, unknownCursor } from "./cursor.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import type { Sealer } from "./sealer.ts";

/**
 * Wraps a route so that the cursors of its pages are sealed, because a position in the journal would tell a caller how
 * much all others do. Cursors from before the sealing key existed are accepted unsealed; any other unsealed cursor
 * gives 400. Cursors of public lists are not sealed: they are positions in the catalog, which is public.
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
