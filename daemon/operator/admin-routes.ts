import { operations } from "../../shared/contract/index.ts";
import { toMoney } from "../../shared/micro-dollars.ts";
import { reply, type Route, route } from "../http/route.ts";
import { toCreatedKey } from "../identity/identity-wire.ts";
import type { IdentityService } from "../identity/identity-service.ts";
import type { WalletBalance, WalletService } from "../wallet/wallet-service.ts";
import type { SettingsStore } from "./settings-store.ts";

export interface AdminRouteParts {
  readonly identity: IdentityService;
  readonly wallet: WalletService;
  readonly settings: SettingsStore;
}

/** The operator's routes over workspaces, users, keys, money and settings. Contract semantics, 17. */
export function adminRoutes(parts: AdminRouteParts): Route[] {
  return [...workspaceRoutes(parts), ...moneyRoutes(parts), ...settingsRoutes(parts)];
}

/** A workspace is named by its id or its slug in every path and body. */
function workspaceRoutes({ identity: { keys, workspaces } }: AdminRouteParts): Route[] {
  return [
    route(operations.listAdminWorkspaces, async () => {
      const all = await workspaces.listAll();
      return reply(200, { items: all.map(({ workspaceId, name, slug }) => ({ workspaceId, name, slug })) });
    }),
    route(operations.createAdminWorkspace, async ({ caller, body }) => {
      const { workspaceId, name, slug } = await workspaces.create(caller, body);
      return reply(201, { workspaceId, name, slug });
    }),
    route(operations.createAdminUser, async ({ body }) => {
      const { user, workspaceId } = await workspaces.createUser(body);
      const { userId, username, email } = user;
      return reply(201, { userId, username, ...(email !== undefined && { email }), workspaceId });
    }),
    route(operations.createAdminApiKey, async ({ caller, params, body }) => {
      const { workspaceId } = await workspaces.get(params.workspaceId);
      return reply(201, toCreatedKey(await keys.createFor(caller, workspaceId, body)));
    }),
  ];
}

function moneyRoutes({ identity: { workspaces }, wallet }: AdminRouteParts): Route[] {
  return [
    route(operations.creditWallet, async ({ caller, params, body }) => {
      const { workspaceId } = await workspaces.get(params.workspaceId);
      return reply(201, toAdjustment(workspaceId, await wallet.credit({ workspaceId, ...body, by: caller.actor })));
    }),
    route(operations.debitWallet, async ({ caller, params, body }) => {
      const { workspaceId } = await workspaces.get(params.workspaceId);
      return reply(201, toAdjustment(workspaceId, await wallet.debit({ workspaceId, ...body, by: caller.actor })));
    }),
  ];
}

function settingsRoutes({ settings }: AdminRouteParts): Route[] {
  return [
    route(operations.getAdminSettings, () => reply(200, settings.get())),
    route(operations.updateAdminSettings, async ({ body }) => reply(200, await settings.update(body))),
  ];
}

function toAdjustment(workspaceId: string, { balance, held }: WalletBalance) {
  return { workspaceId, balance: toMoney(balance), held: toMoney(held) };
}
