import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { expect, test } from "vitest";
import { microDollars } from "../../shared/micro-dollars.ts";
import { credit } from "../../daemon/ledger/money/postings.ts";
import type { CatalogResource } from "../../daemon/catalog/entries/catalog-entry.ts";
import { createRenewals } from "../../daemon/resources/renewals.ts";
import { provisioned } from "../../daemon/resources/resource-lifecycle.ts";
import { openSuiteStore } from "../support/suite-store.ts";

const at = "2026-01-01T00:00:00.000Z";
const rent = {
  amountMicroDollars: microDollars(10),
  costMicroDollars: microDollars(10),
  period: { unit: "DAY", count: 1 },
} as const;

test("rents that fall due together are charged a few at a time, and one provider that hangs holds up no other", async () => {
  const store = await openSuiteStore();
  const amount = microDollars(10_000);
  const led = credit("w1", amount);
  await store.commit({ line: { t: "wallet.credited", v: 1, at, ws: "w1", amount, reason: "r", by: "b", led } });
  for (let number = 0; number < 30; number += 1) {
    const resourceId = `01R${number}`;
    const plan = { resourceId, resource: "lock", resourceType: "machine", displayName: "Lock", rent } as const;
    const run = { runId: "01N", workspaceId: "w1", caller: "c", owner: "o", provider: "p", providerName: "P" };
    const resource = provisioned(plan, { externalId: String(number), identifier: "x", data: {} }, run, at);
    await store.commit({ line: { t: "resource.changed", v: 1, at, ws: "w1", resource, led: [] } });
  }
  let asked = 0;
  let most = 0;
  const renewals = createRenewals({
    store,
    catalog: { findResource: () => ({}) as CatalogResource },
    provider: {
      async verify(_kind, { externalId }, { signal }) {
        asked += 1;
        most = Math.max(most, asked);
        await delay(externalId === "3" ? 60_000 : 5, undefined, { signal }).catch(() => {});
        asked -= 1;
        return { httpStatus: 200, success: true, gone: false, data: {} };
      },
      giveBack: async () => ({ ok: true, httpStatus: 204 }),
    },
    clock: { now: () => Date.parse("2026-01-01T23:00:00.000Z") },
    unlimited: false,
    logger: pino({ level: "silent" }),
  });

  renewals.start();
  const paid = async () => (await store.listLiveResourcesOf("w1")).filter(({ renewal }) => renewal?.cycle === 2).length;
  await expect.poll(paid, { interval: 10 }).toBe(29);
  await renewals.close();

  expect(most).toBe(8);
  await store.close();
});
