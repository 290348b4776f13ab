import { pino } from "pino";
import { expect, test } from "vitest";
import { systemClock } from "../../daemon/base/clock.ts";
import { digestOfInput } from "../../daemon/approvals/needed-approval.ts";
import type { CatalogEntry } from "../../daemon/catalog/entries/catalog-entry.ts";
import type { WorkspaceCaller } from "../../daemon/http/callers/caller.ts";
import { RunApprovals } from "../../daemon/runs/run-approvals.ts";
import { createRunDriver } from "../../daemon/runs/work/run-driver.ts";
import { accept } from "../../daemon/runs/lifecycle/run-lifecycle.ts";
import { createRunQueue } from "../../daemon/runs/queue/run-queue.ts";
import { RunReader } from "../../daemon/runs/answers/run-reader.ts";
import { keyCreated, keyRevoked } from "../storage/lines.ts";
import { makeRun } from "../support/make-run.ts";
import { openSuiteStore } from "../support/suite-store.ts";

const neverCalled = async () => {
  throw new Error("the test did not expect this call");
};

test("a run is not approved when the key that asked for it is revoked while the approval is on its way", async () => {
  const store = await openSuiteStore();
  await store.commit({ line: keyCreated("asker", { fingerprint: "f00d" }) });
  await store.commit({ line: keyCreated("boss") });
  const { startedAt: _startedAt, ...asked } = makeRun({ keyId: "asker", keyLabel: "asker" });
  const born = accept({
    ...asked,
    status: "READY",
    approval: {
      ruleId: "r1",
      aboveMicroDollars: asked.heldMicroDollars,
      estimateMicroDollars: asked.heldMicroDollars,
      inputDigest: digestOfInput(asked.input),
      expiresAt: "2999-01-01T00:00:00.000Z",
    },
  });
  await store.commit({ line: born.line });
  const parts = { store, clock: systemClock, logger: pino({ level: "silent" }) };
  const provider = { start: neverCalled, poll: neverCalled, stop: neverCalled, close: async () => {} };
  const driver = createRunDriver({ ...parts, provider, queue: createRunQueue(), onEnded: () => {} });
  const entry = {
    provider: { provider: asked.provider, manifestHash: asked.manifestHash },
    path: asked.endpoint,
    price: asked.price,
    http: { auth: [] },
  } as unknown as CatalogEntry;
  const live = driver.drive(born.run, born.effect, { entry, place: undefined });
  const approvals = new RunApprovals({
    ...parts,
    catalog: { get: () => entry, find: () => entry, availability: () => ({ available: true }) },
    store: {
      listMakers: async (keyId) => await store.listMakers(keyId),
      // It ends right after it was looked at.
      async findKey(keyId) {
        const found = await store.findKey(keyId);
        await store.commit({ line: keyRevoked(keyId) });
        return found;
      },
    },
    driver,
    reader: new RunReader(store),
  });
  const boss = {
    kind: "API_KEY",
    actor: "API_KEY#boss",
    userId: "u1",
    workspaceId: "w1",
    scopes: ["*"],
    operator: false,
    key: { keyId: "boss", label: "boss" },
  } as unknown as WorkspaceCaller;

  await expect(approvals.approve(boss, born.run.runId)).rejects.toThrow(/the key "asker" that asked for it is REVOKED/);
  expect(live.current().approval).not.toHaveProperty("decision");
  await driver.close({ graceMs: 0 });
});
