import { expect, test } from "vitest";
import { microDollars } from "../../shared/micro-dollars.ts";
import { createAuthenticate } from "../../daemon/identity/authenticate.ts";
import { createIdentityService } from "../../daemon/identity/identity-service.ts";
import { systemClock } from "../../daemon/base/clock.ts";
import { createIdSource } from "../../daemon/base/new-id.ts";
import { NoOwnerYet, resetOwnerKey } from "../../daemon/offline/reset-owner-key.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { memoryKeyUse } from "../support/memory-key-use.ts";
import { createWalletService } from "../../daemon/wallet/wallet-service.ts";

function setUp() {
  const clock = systemClock;
  const parts = { store: openMemoryStore(), clock, newId: createIdSource(), keyUse: memoryKeyUse(clock) };
  const identity = createIdentityService(parts);
  const authenticate = createAuthenticate(parts);
  const useKey = async (key: string) =>
    await authenticate({ authorization: `Bearer ${key}`, workspaceId: undefined, isOwnClient: false });
  return { parts, identity, useKey };
}

const tenDollars = { startingCredit: microDollars(10_000_000) };

test("the first start makes a user, a workspace with credit and a key with the operator grant", async () => {
  const { parts, identity, useKey } = setUp();

  const owner = await identity.ensureOwner(tenDollars);

  const caller = await useKey(owner?.key ?? "");
  const wallet = createWalletService({ ...parts, unlimited: false });
  expect(caller).toMatchObject({
    operator: true,
    scopes: ["*"],
    userId: owner?.userId,
    workspaceId: owner?.workspaceId,
  });
  expect(await wallet.getBalance(owner?.workspaceId ?? "")).toEqual({ balance: 10_000_000, held: 0 });
});

test("a later start makes none", async () => {
  const { identity } = setUp();
  await identity.ensureOwner(tenDollars);

  expect(await identity.ensureOwner(tenDollars)).toBeUndefined();
});

test("of two first starts at once one makes the owner", async () => {
  const { parts, identity } = setUp();

  const owners = await Promise.all([identity.ensureOwner(tenDollars), identity.ensureOwner(tenDollars)]);

  expect(owners.filter((owner) => owner !== undefined)).toHaveLength(1);
  expect(await parts.store.listWorkspaces()).toHaveLength(1);
});

test("unlimited needs no credit", async () => {
  const { parts, identity } = setUp();

  const owner = await identity.ensureOwner({ startingCredit: "unlimited" });

  const wallet = createWalletService({ ...parts, unlimited: true });
  expect(await wallet.getBalance(owner?.workspaceId ?? "")).toEqual({ balance: 0, held: 0 });
});

test("resetting the owner key revokes every key with the operator grant, and no other", async () => {
  const { parts, identity, useKey } = setUp();
  const owner = await identity.ensureOwner(tenDollars);
  const caller = await useKey(owner?.key ?? "");
  const workspaceId = owner?.workspaceId ?? "";
  const operatorCaller = { ...caller, workspaceId };
  const plain = await identity.keys.create(operatorCaller, { label: "plain" });
  const second = await identity.workspaces.create(caller, { name: "Second" });
  const boss = await identity.keys.createFor(operatorCaller, second.workspaceId, { label: "boss", operator: true });

  const reset = await resetOwnerKey(parts.store, parts);

  expect(reset).toMatchObject({ label: "owner", workspaceId, revoked: 2 });
  expect(await useKey(reset.key)).toMatchObject({ operator: true, userId: owner?.userId });
  expect(await useKey(plain.key)).toMatchObject({ operator: false });
  await expect(useKey(owner?.key ?? "")).rejects.toThrow("Unauthorized");
  await expect(useKey(boss.key)).rejects.toThrow("Unauthorized");
});

test("resetting the owner key revokes an operator key that is made at the same moment", async () => {
  const { parts, identity, useKey } = setUp();
  const owner = await identity.ensureOwner(tenDollars);
  const caller = { ...(await useKey(owner?.key ?? "")), workspaceId: owner?.workspaceId ?? "" };
  let minted = "";
  const keepKey = async () => {
    minted = (await identity.keys.createFor(caller, caller.workspaceId, { label: "late", operator: true })).key;
  };

  const reset = await resetOwnerKey(parts.store, { ...parts, keepKey });

  expect(reset.revoked).toBe(2);
  await expect(useKey(minted)).rejects.toThrow("Unauthorized");
  expect(await useKey(reset.key)).toMatchObject({ operator: true });
});

test("a label that an ordinary key took meanwhile is left to it", async () => {
  const { parts, identity, useKey } = setUp();
  const owner = await identity.ensureOwner(tenDollars);
  const caller = { ...(await useKey(owner?.key ?? "")), workspaceId: owner?.workspaceId ?? "" };
  await identity.keys.rename(caller, "owner", "first");
  await identity.keys.create(caller, { label: "owner" });

  const reset = await resetOwnerKey(parts.store, parts);

  expect(reset.label).toBe("owner-2");
});

test("a folder without an owner has no key to reset", async () => {
  const { parts } = setUp();

  await expect(resetOwnerKey(parts.store, parts)).rejects.toThrow(NoOwnerYet);
});

test("a key that is revoked after its request was let in makes no other key", async () => {
  const { parts, identity, useKey } = setUp();
  const owner = await identity.ensureOwner(tenDollars);
  const caller = { ...(await useKey(owner?.key ?? "")), workspaceId: owner?.workspaceId ?? "" };
  const { key } = await identity.keys.create(caller, { label: "thief" });
  const thief = { ...(await useKey(key)), workspaceId: owner?.workspaceId ?? "" };

  await identity.keys.revoke(caller, "thief");

  await expect(identity.keys.create(thief, { label: "child" })).rejects.toMatchObject({ status: 401 });
  expect((await parts.store.listKeys(thief.workspaceId)).map(({ label }) => label)).toEqual(["owner", "thief"]);
});
