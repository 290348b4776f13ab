import type { FastifyRequest } from "fastify";
import type { Credentials } from "./access.ts";

/** What the headers of a request say about its sender. */
export function credentialsOf(request: FastifyRequest): Credentials {
  const workspaceId = request.headers["x-workspace-id"];
  return {
    authorization: request.headers.authorization,
    isOwnClient: request.headers["x-mkt-client"] !== undefined,
    source: request.socket.remoteAddress,
    workspaceId: typeof workspaceId === "string" && workspaceId !== "" ? workspaceId : undefined,
  };
}
