import type { WorkspaceId } from "../base/ids.ts";
import type { AdminUser, AdminWorkspace } from "../../shared/contract/admin.ts";
import { operations } from "../../shared/contract/index.ts";
import { toMoney } from "../../shared/micro-dollars.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { keepAnswer } from "../idempotency/keep-answer.ts";
import type { WorkspaceRecord } from "../ledger/records/identity-records.ts";
import { toApiKey, toCreatedKey } from "../identity/identity-wire.ts";
import type { IdentityService } from "../identity/identity-service.ts";
import type { NewUser } from "../identity/workspace-service.ts";
import type { WalletBalance, WalletService } from "../wallet/wallet-service.ts";
import type { SettingsStore } from "./settings-store.ts";

export interface AdminRouteParts {
  readonly identity: IdentityService;
  readonly wallet: WalletService;
  readonly settings: SettingsStore;
}

/** The operator's routes for workspaces, users, keys, money and settings. docs/contract.md, "Admin routes". */
export function adminRoutes(parts: AdminRouteParts): Route[] {
  return [...workspaceRoutes(parts), ...moneyRoutes(parts), ...settingsRoutes(parts)];
}

/** A workspace is named by its id, slug or name in every path and body. */
function workspaceRoutes({ identity: { keys, workspaces, ids } }: AdminRouteParts): Route[] {
  return [
    route(operations.listAdminWorkspaces, async () => {
      const all = await workspaces.listAll();
      const items = all.map(async (one) =>
        toAdminWorkspace({ ...one, workspaceId: await ids.workspace(one.workspaceId) }),
      );
      return reply(200, { items: await Promise.all(items) });
    }),
    route(operations.createAdminWorkspace, async ({ caller, body, idempotency }) => {
      const keep = keepAnswer(idempotency, 201, toAdminWorkspace);
      return reply(201, toAdminWorkspace(await workspaces.create(caller, body, keep)));
    }),
    route(operations.createAdminUser, async ({ body, idempotency }) => {
      const workspaceId = await ids.workspace((await workspaces.get(body.workspaceId)).workspaceId);
      const toBody = (made: NewUser) => toAdminUser({ ...made, workspaceId });
      return reply(201, toBody(await workspaces.createUser(body, keepAnswer(idempotency, 201, toBody))));
    }),
    route(operations.createAdminApiKey, async ({ caller, params, body, idempotency }) => {
      const { workspaceId } = await workspaces.get(params.workspaceId);
      const keep = keepAnswer(idempotency, 201, toApiKey);
      return reply(201, toCreatedKey(await keys.createFor(caller, workspaceId, body, keep)));
    }),
  ];
}

function moneyRoutes({ identity: { workspaces, ids }, wallet }: AdminRouteParts): Route[] {
  return [
    route(operations.creditWallet, async ({ caller, params, body, idempotency }) => {
      const { workspaceId } = await workspaces.get(params.workspaceId);
      const shown = await ids.workspace(workspaceId);
      const toBody = (after: WalletBalance) => toAdjustment(shown, after);
      const adjustment = { workspaceId, ...body, by: caller.actor };
      return reply(201, toBody(await wallet.credit(adjustment, keepAnswer(idempotency, 201, toBody))));
    }),
    route(operations.debitWallet, async ({ caller, params, body, idempotency }) => {
      const { workspaceId } = await workspaces.get(params.workspaceId);
      const shown = await ids.workspace(workspaceId);
      const toBody = (after: WalletBalance) => toAdjustment(shown, after);
      const adjustment = { workspaceId, ...body, by: caller.actor };
      return reply(201, toBody(await wallet.debit(adjustment, keepAnswer(idempotency, 201, toBody))));
    }),
  ];
}

function settingsRoutes({ settings }: AdminRouteParts): Route[] {
  return [
    route(operations.getAdminSettings, () => reply(200, settings.get())),
    route(operations.updateAdminSettings, async ({ body }) => reply(200, await settings.update(body))),
  ];
}

function toAdminWorkspace({ workspaceId, name, slug }: WorkspaceRecord): AdminWorkspace {
  return { workspaceId, name, slug };
}

function toAdminUser({ user: { userId, username, email }, workspaceId }: NewUser): AdminUser {
  return { userId, username, ...(email !== undefined && { email }), workspaceId };
}

function toAdjustment(workspaceId: WorkspaceId, { balance, held }: WalletBalance) {
  return { workspaceId, balance: toMoney(balance), held: toMoney(held) };
}
