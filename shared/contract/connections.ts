import { z } from "zod";
import { closedObject } from "./closed-object.ts";
import { DateTime, slugPattern } from "./common.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";

const Provider = z.string().min(1).max(60).regex(slugPattern);

/** Whether runs can use a connection. docs/connections.md, "States". */
export const ConnectionState = z
  .enum(["connected", "expired", "revoked", "interrupted", "changed"])
  .meta({ id: "ConnectionState" });
export type ConnectionState = z.infer<typeof ConnectionState>;

/** An account at a provider with which the runs of a workspace call it. Never its tokens. */
export const Connection = z
  .object({
    provider: z.string(),
    workspaceId: z.string(),
    state: ConnectionState,
    why: z.string().optional().meta({ description: "Why it cannot be used; absent if it can." }),
    next: z.string().optional().meta({ description: "The command of mkt that makes it usable." }),
    connectedAt: DateTime,
    connectedBy: z.string().optional().meta({ description: "Actor; only for who may see the whole workspace." }),
    keyLabel: z.string().optional(),
    scopes: z.array(z.string()).meta({ description: "What the provider granted." }),
    missingScopes: z.array(z.string()).optional().meta({ description: "Asked, but not granted." }),
    accessTokenExpiresAt: DateTime.optional(),
    renews: z.boolean().meta({ description: "Whether it is renewed without a new login." }),
    lastFailure: z.object({ at: DateTime, message: z.string() }).optional().meta({
      description: "The last renewal, if it failed; the next run tries again.",
    }),
  })
  .meta({ id: "Connection" });
export type Connection = z.infer<typeof Connection>;

export const ConnectionList = z.object({ items: z.array(Connection) }).meta({ id: "ConnectionList" });
export type ConnectionList = z.infer<typeof ConnectionList>;

export const ConnectionRemoved = z
  .object({
    provider: z.string(),
    revoked: z.boolean().meta({ description: "Whether the provider has revoked the tokens." }),
    why: z.string().optional().meta({ description: "Why not." }),
  })
  .meta({ id: "ConnectionRemoved" });
export type ConnectionRemoved = z.infer<typeof ConnectionRemoved>;

/** A login that was begun. It is over after ten minutes, and for one answer of the provider. */
export const ConnectionAttempt = z
  .object({
    attemptId: z.string(),
    provider: z.string(),
    workspaceId: z.string(),
    state: z.enum(["waiting", "confirming", "exchanging", "connected", "failed"]),
    message: z.string().optional().meta({ description: "Why it failed." }),
    address: z.string().meta({ description: "Where the person logs in, with a browser." }),
    redirectUri: z.string().meta({ description: "What the provider must have registered for this client." }),
    scopes: z.array(z.string()).meta({ description: "What is asked." }),
    needsCode: z.boolean().meta({
      description: "After the login the browser shows a code, which finishes the login with completeConnection.",
    }),
    expiresAt: DateTime,
    connection: Connection.optional().meta({ description: "Once it is connected." }),
  })
  .meta({ id: "ConnectionAttempt" });
export type ConnectionAttempt = z.infer<typeof ConnectionAttempt>;

export const BeginConnectionRequest = closedObject({ provider: Provider }).meta({ id: "BeginConnectionRequest" });

export const CompleteConnectionRequest = closedObject({
  code: z.string().min(1).max(100).optional().meta({ description: "The code that the browser shows." }),
  redirectedTo: z.string().min(1).max(8_000).optional().meta({
    description: "The address at which the browser ended, where it cannot reach this service itself.",
  }),
})
  .refine(({ code, redirectedTo }) => (code === undefined) !== (redirectedTo === undefined), {
    error: "name one of the two: code, or redirectedTo",
  })
  .meta({ id: "CompleteConnectionRequest" });

const connections = { tier: "mkt", tag: "Connections", auth: "workspace" } as const;
const AttemptParams = z.object({ attemptId: z.string().min(1).max(100) });
const ProviderParams = z.object({ provider: Provider });
const text = z.string().max(8_000).optional();

/** Accounts of workspaces at providers that need a login. docs/contract.md, "Connections". */
export const connectionOperations = {
  listConnections: defineOperation({
    ...operationPaths.listConnections,
    ...connections,
    summary: "List the connected accounts of the workspace",
    scope: "resources:read",
    responses: { 200: ConnectionList },
  }),
  beginConnection: defineOperation({
    ...operationPaths.beginConnection,
    ...connections,
    summary: "Begin a login at a provider",
    description: "The answer has the address for the browser. Only who began it can see and finish it.",
    scope: "resources:create",
    body: BeginConnectionRequest,
    responses: { 201: ConnectionAttempt },
    errors: [400, 403, 404, 409],
  }),
  getConnectionAttempt: defineOperation({
    ...operationPaths.getConnectionAttempt,
    ...connections,
    summary: "How a login goes",
    scope: "resources:create",
    params: AttemptParams,
    responses: { 200: ConnectionAttempt },
    errors: [404],
  }),
  completeConnection: defineOperation({
    ...operationPaths.completeConnection,
    ...connections,
    summary: "Finish a login with what the browser shows",
    scope: "resources:create",
    params: AttemptParams,
    body: CompleteConnectionRequest,
    responses: { 200: ConnectionAttempt },
    errors: [400, 404, 409],
  }),
  getConnection: defineOperation({
    ...operationPaths.getConnection,
    ...connections,
    summary: "Get the connected account at a provider",
    scope: "resources:read",
    params: ProviderParams,
    responses: { 200: Connection },
    errors: [404],
  }),
  deleteConnection: defineOperation({
    ...operationPaths.deleteConnection,
    ...connections,
    summary: "Remove a connected account",
    description: "Its tokens are revoked at the provider, if its file says where, and forgotten here.",
    scope: "resources:delete",
    params: ProviderParams,
    responses: { 200: ConnectionRemoved },
    errors: [403, 404],
  }),
  finishLogin: defineOperation({
    ...operationPaths.finishLogin,
    tier: "mkt",
    tag: "Connections",
    summary: "Where providers send the browser after a login; a page for a person",
    description: "The page says whether the login was taken; the status does not.",
    auth: "none",
    params: ProviderParams,
    query: z.object({ code: text, state: text, iss: text, error: text }),
    responses: { 200: z.string() },
    streams: ["text/html"],
  }),
};
