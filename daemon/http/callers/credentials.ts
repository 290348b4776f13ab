import type { FastifyRequest } from "fastify";
import type { Credentials } from "./access.ts";
import type { SourceOf } from "./request-source.ts";

/** What the headers of a request say about its sender. */
export function credentialsOf(request: FastifyRequest, sourceOf: SourceOf): Credentials {
  const workspaceId = request.headers["x-workspace-id"];
  return {
    authorization: request.headers.authorization,
    isOwnClient: request.headers["x-mkt-client"] !== undefined,
    source: sourceOf(request.raw),
    workspaceId: typeof workspaceId === "string" && workspaceId !== "" ? workspaceId : undefined,
  };
}
