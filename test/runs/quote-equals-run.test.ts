import fc from "fast-check";
import { expect, test } from "vitest";
import { microDollars, openControlMarket } from "../controls/control-market.ts";
import { type Answer, request } from "../support/request.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { scriptReport } from "../support/weather-manifest.ts";

const money = (micros: number) => ({ value: micros / 1_000_000, currency: "USD" });

/** Everything that decides about a run changes before it: limits, wallet, clock, and who asks for what. */
const aSituation = fc.record({
  budgetMicros: fc.nat(60_000),
  runCapMicros: fc.nat(40_000),
  status: fc.constantFrom("ACTIVE", "PAUSED"),
  adjustment: fc.record({ kind: fc.constantFrom("credits", "debits"), micros: fc.integer({ min: 1, max: 40_000 }) }),
  minutes: fc.integer({ min: -100, max: 30 }),
  isLimitedKey: fc.boolean(),
  limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  maxCostMicros: fc.option(fc.nat(60_000), { nil: undefined }),
});

test("a run does what its quote has just said: it is let through with that hold, or refused by the first that was named", async () => {
  await using market = await openControlMarket({ environment: { MKT_STARTING_CREDIT: "0.05" } });
  const ask = market.daemon.request;
  const spendLimit = { amount: money(30_000), period: "HOUR" };
  const limited = (await ask("POST", "/v1/api-keys", { label: "limited", spendLimit })).body.key;
  const [budgetId, runCapId] = [await market.budget("HOUR", 1), await market.runCap(1)];
  const met = new Set<string>();

  await fc.assert(
    fc.asyncProperty(aSituation, async (situation) => {
      const { budgetMicros, runCapMicros, status, adjustment, limit, maxCostMicros } = situation;
      market.time.nowMs += situation.minutes * 60_000;
      await ask("PATCH", `/v1/controls/workspace/budgets/${budgetId}`, {
        limitAmount: microDollars(budgetMicros / 1_000_000),
        status,
      });
      await ask("PATCH", `/v1/controls/workspace/run-caps/${runCapId}`, {
        limitAmount: microDollars(runCapMicros / 1_000_000),
        status,
      });
      await ask("POST", `/v1/admin/workspaces/default/${adjustment.kind}`, {
        amount: money(adjustment.micros),
        reason: "test",
      });
      scriptReport(market.upstream, { polls: 0, result: { items: [1] } });
      const body = {
        provider: "weather",
        ...(limit === undefined
          ? { endpoint: "/now", input: { city: "Lisbon" } }
          : { endpoint: "/report", input: { topic: "rain", limit }, wait: 10 }),
        ...(maxCostMicros !== undefined && { maxCost: money(maxCostMicros) }),
      };
      const key = situation.isLimitedKey ? limited : market.daemon.key;

      const quoted = await request(`${market.daemon.url}/v1/quote`, "POST", { key, body });
      const ran = await request(`${market.daemon.url}/v1/run`, "POST", { key, body });

      const refusals: { kind: string; controlId?: string }[] = quoted.body.wouldBlock;
      const kind = refusals[0]?.kind ?? "none";
      met.add(kind);
      expect(refusedBy(ran)).toBe(kind === "runCap" || kind === "budget" ? "control" : kind);
      if (ran.body.status === "BLOCKED") {
        expect(ran.body.controls.map(({ controlId }: { controlId: string }) => controlId).sort()).toEqual(
          refusals.flatMap(({ controlId }) => controlId ?? []).sort(),
        );
      }
      if (kind === "none") {
        const { items } = (await ask("GET", "/v1/wallet/activities?limit=3")).body;
        const hold = items.find(({ type }: { type: string }) => type === "RUN_HOLD");
        expect(hold).toMatchObject({ runId: ran.body.runId, amount: { value: -quoted.body.maximum.value } });
        expect(ran.body.cost.value).toBeLessThanOrEqual(quoted.body.maximum.value);
      }
    }),
    { numRuns: 60, seed: 1 },
  );

  expect([...met].sort()).toEqual(["budget", "keyLimit", "maxCost", "none", "runCap", "wallet"]);
});

/** By its answer alone. */
function refusedBy({ status, body }: Answer): string {
  if (status === 200) return body.status === "BLOCKED" ? "control" : "none";
  if (status === 403) return body.errorCode === "KEY_LIMIT" ? "keyLimit" : "another";
  return body.errorCode === "WALLET_INSUFFICIENT_FUNDS" ? "wallet" : "maxCost";
}

test("an amount that no ledger could hold exactly is refused in words, also where the wallet has no limit", async () => {
  await using upstream = await startFakeProvider();
  upstream.on("GET /rows", { json: { items: [], id: "box-1" } });
  scriptReport(upstream, { polls: 1_000 });
  await using daemon = await startTestDaemon({
    manifests: { vault: vaultManifest(upstream.url) },
    environment: { MKT_STARTING_CREDIT: "unlimited" },
  });
  const both = async (endpoint: string) => {
    const body = { provider: "vault", endpoint, input: { limit: 9_007 } };
    return [await daemon.request("POST", "/v1/quote", body), await daemon.request("POST", "/v1/run", body)] as const;
  };

  const [boxQuote, boxRun] = await both("/box");
  const [firstQuote, firstRun] = await both("/rows");
  const [, secondRun] = await both("/rows");
  const [thirdQuote] = await both("/rows");

  expect(boxQuote).toMatchObject({ status: 400, text: boxRun.text });
  expect(firstQuote.body.wouldBlock).toEqual([]);
  expect(firstRun.status).toBe(202);
  expect(secondRun).toMatchObject({ status: 402, body: { errorCode: "WALLET_INSUFFICIENT_FUNDS" } });
  expect(thirdQuote.body.wouldBlock).toMatchObject([{ kind: "wallet" }]);
});

/** A million dollars a row, and as much for the box that some of them come in. */
function vaultManifest(baseUrl: string): object {
  const limit = { type: "integer", minimum: 0, maximum: 10_000 };
  const usage = (section: string) => ({
    count: "$.items",
    estimate: { count: `input:${section}.limit`, max: `input:${section}.limit` },
  });
  const price = { type: "PER_RESULT", amount: 1_000_000 };
  return {
    displayName: "Vault",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    resources: {
      box: {
        displayName: "Box",
        type: "machine",
        price: { type: "BY_PERIOD", amount: 1_000_000, period: { unit: "MONTH", count: 1 } },
      },
    },
    endpoints: {
      "/box": {
        description: "Rows in a box that stays.",
        request: { method: "GET", path: "/rows" },
        input: { queryParams: { required: ["limit"], properties: { limit } } },
        usage: usage("queryParams"),
        price,
        resources: { provisions: { resource: "box", id: "$.id" } },
      },
      "/rows": {
        description: "Rows, made in the background.",
        request: { method: "POST", path: "/reports" },
        input: { body: { required: ["limit"], properties: { limit } } },
        usage: usage("body"),
        price,
        async: {
          start: { id: "$.id" },
          poll: {
            method: "GET",
            path: "/reports/${run.externalId}",
            everyMs: 50,
            status: "$.status",
            states: { running: ["working"], done: ["done"], failed: ["failed"], stopped: ["stopped"] },
          },
          runMs: 60_000,
        },
      },
    },
  };
}
