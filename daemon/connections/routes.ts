import { operations } from "../../shared/contract/index.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import type { ConnectionService } from "./connection-service.ts";
import { PAGE_HEADERS, renderLoginPage } from "./login-page.ts";

export interface ConnectionRoutesParts {
  readonly connections: ConnectionService;
}

export function connectionRoutes({ connections }: ConnectionRoutesParts): Route[] {
  return [
    route(operations.listConnections, async ({ caller }) => reply(200, { items: await connections.list(caller) })),
    route(operations.beginConnection, async ({ caller, body }) =>
      reply(201, await connections.begin(caller, body.provider), { "cache-control": "no-store" }),
    ),
    route(operations.getConnectionAttempt, async ({ caller, params }) =>
      reply(200, await connections.getAttempt(caller, params.attemptId), { "cache-control": "no-store" }),
    ),
    route(operations.completeConnection, async ({ caller, params, body }) =>
      reply(200, await connections.complete(caller, params.attemptId, body)),
    ),
    route(operations.getConnection, async ({ caller, params }) =>
      reply(200, await connections.get(caller, params.provider)),
    ),
    route(operations.deleteConnection, async ({ caller, params }) =>
      reply(200, await connections.remove(caller, params.provider)),
    ),
    route(operations.finishLogin, async ({ params, query }) => {
      const page = await connections.finish(params.provider, query);
      return reply(200, renderLoginPage(page), PAGE_HEADERS);
    }),
  ];
}
