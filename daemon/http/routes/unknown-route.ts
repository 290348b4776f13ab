import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../../shared/errors.ts";
import { type Authenticate, findOperator } from "../callers/access.ts";
import { credentialsOf } from "../callers/credentials.ts";
import type { SourceOf } from "../callers/request-source.ts";
import { toAllow } from "./route-table.ts";
import type { MountedRoutes } from "./mounted-routes.ts";

/**
 * The answer for a path that this service does not have, and for an operator's path to everyone else. The registry's port
 * (`publicOnly`) does not have the list of the routes either.
 */
export function unknownRoute(method: string, path: string, { publicOnly = false } = {}): ApiError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  const where = publicOnly ? "this port serves /public/v1 alone" : "GET /openapi.json lists them";
  return new ApiError("notFound", `${method} ${shown} is not a route of this service; ${where}`);
}

/** The path of a request's target. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? request.url;
}

/**
 * Answers a request that no route matches: 405 with Allow if its path has other methods, 204 with Allow for OPTIONS,
 * else 404. An operator's path is unknown to everyone else here too.
 */
export async function answerUnknownRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  mounted: MountedRoutes,
  {
    authenticate,
    sourceOf,
    publicOnly,
  }: { readonly authenticate: Authenticate; readonly sourceOf: SourceOf; readonly publicOnly: boolean },
): Promise<FastifyReply> {
  const path = pathOf(request);
  const known = mounted.operationsAt(path);
  const hidden = known.every(({ auth }) => auth === "operator");
  if (
    known.length === 0 ||
    (hidden && (await findOperator(() => authenticate(credentialsOf(request, sourceOf)))) === undefined)
  ) {
    throw unknownRoute(request.method, path, { publicOnly });
  }
  const allow = toAllow(known);
  if (request.method === "OPTIONS") {
    return await reply.code(204).header("allow", allow).send();
  }
  throw new ApiError("methodNotAllowed", `${request.method} is not a method of ${path}; it takes ${allow}`, {
    headers: { allow },
  });
}
