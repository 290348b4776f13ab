import { operations } from "../../shared/contract/index.ts";
import { decodeCursor, encodeCursor } from "../http/cursors/cursor.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { keepAnswer } from "../idempotency/keep-answer.ts";
import {
  toApiKey,
  toAuthCredential,
  toAuthUser,
  toAuthWorkspace,
  toCreatedKey,
  toPerson,
  toWorkspaceListItem,
} from "./identity-wire.ts";
import type { IdentityService } from "./identity-service.ts";
import { scopeCatalog } from "./scopes.ts";

const KEY_CURSOR = "api-keys";
const DEFAULT_PAGE = 10;
const MAX_PAGE = 100;

/** The caller's identity, workspaces, and the keys of the caller's workspace. */
export function identityRoutes({ identity: { keys, workspaces, ids } }: { identity: IdentityService }): Route[] {
  return [
    route(operations.whoami, async ({ caller }) => {
      const { user, workspace } = await workspaces.whoIs(caller);
      const spending = caller.key === undefined ? undefined : await keys.spendingOf(caller.key);
      return reply(200, {
        user: toAuthUser(user, await ids.user(user.userId)),
        ...(workspace !== undefined && {
          workspace: toAuthWorkspace(workspace, await ids.workspace(workspace.workspaceId)),
        }),
        credential: toAuthCredential(caller, spending),
      });
    }),
    route(operations.listWorkspaces, async ({ caller }) => {
      const own = await workspaces.listOf(caller);
      const items = own.map(async (one) => toWorkspaceListItem(one, await ids.workspace(one.workspaceId)));
      return reply(200, { workspaces: await Promise.all(items) });
    }),
    route(operations.listPeople, async ({ caller }) => {
      const members = await workspaces.membersOf(caller);
      const items = members.map(async (user) => toPerson(user, await ids.user(user.userId)));
      return reply(200, { items: await Promise.all(items) });
    }),
    route(operations.listScopes, () => reply(200, scopeCatalog())),
    route(operations.listApiKeys, async ({ caller, query }) => {
      const before = query.cursor === undefined ? undefined : Number(decodeCursor(KEY_CURSOR, query.cursor));
      const { items, next } = await keys.list(caller, {
        limit: Math.min(query.limit ?? DEFAULT_PAGE, MAX_PAGE),
        ...(before !== undefined && { before }),
        statuses: query.status,
      });
      return reply(200, {
        items: items.map(toApiKey),
        ...(next !== undefined && { cursor: encodeCursor(KEY_CURSOR, next) }),
      });
    }),
    route(operations.createApiKey, async ({ caller, body, idempotency }) =>
      reply(201, toCreatedKey(await keys.create(caller, body, keepAnswer(idempotency, 201, toApiKey)))),
    ),
    route(operations.getApiKey, async ({ caller, params }) =>
      reply(200, toApiKey(await keys.get(caller, params.label))),
    ),
    route(operations.updateApiKey, async ({ caller, params, body }) =>
      reply(200, toApiKey(await keys.rename(caller, params.label, body.label ?? params.label))),
    ),
    route(operations.revokeApiKey, async ({ caller, params }) =>
      reply(200, toApiKey(await keys.revoke(caller, params.label))),
    ),
    route(operations.deleteApiKey, async ({ caller, params }) => {
      await keys.revoke(caller, params.label);
      return reply(204, undefined);
    }),
  ];
}
