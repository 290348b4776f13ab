import { expect, test } from "vitest";
import { systemClock } from "../../daemon/base/clock.ts";
import { createSignIn } from "../../daemon/identity/jwt/sign-in.ts";
import { ensureOwner } from "../../daemon/identity/owner.ts";
import { createIdSource } from "../../daemon/base/new-id.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";

const claims = {
  issuer: "https://id.example",
  subject: "ada",
  organisation: { id: "org_1" },
  usernames: ["Ada"],
  metadata: {},
  endsAt: "2099-01-01T00:00:00.000Z",
};

test("nobody signs in to a new data folder before it has its owner, who stays the first", async () => {
  const store = openMemoryStore();
  const signIn = createSignIn({ store, clock: systemClock });

  await expect(signIn(claims)).rejects.toMatchObject({ kind: "unavailable" });
  const owner = await ensureOwner(
    { store, clock: systemClock, newId: createIdSource() },
    { startingCredit: "unlimited" },
  );
  const { workspaceId } = await signIn(claims);

  const workspaces = await store.listWorkspaces();
  expect(workspaces.map((workspace) => workspace.workspaceId)).toEqual([owner?.workspaceId, workspaceId]);
});

test("the ids of users and workspaces follow from the issuer and what it calls them", async () => {
  const store = openMemoryStore();
  const signIn = createSignIn({ store, clock: systemClock });
  await ensureOwner({ store, clock: systemClock, newId: createIdSource() }, { startingCredit: "unlimited" });

  const first = await signIn(claims);
  const again = await signIn({ ...claims, usernames: ["Countess"] });
  const elsewhere = await signIn({ ...claims, issuer: "https://other.example" });

  expect(again).toEqual(first);
  expect(elsewhere.userId).not.toBe(first.userId);
  expect(elsewhere.workspaceId).not.toBe(first.workspaceId);
  expect(first.userId).not.toBe(first.workspaceId);
});
