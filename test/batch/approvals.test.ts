import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { microDollars } from "../controls/control-market.ts";
import { type BatchMarket, itemsJsonl, openBatchMarket, sortedResults } from "./batch-market.ts";

/** Rows that a person has to approve. docs/command-line.md, "Batches". */

let market: BatchMarket;
let key: string;
beforeEach(async () => {
  market = await openBatchMarket();
  key = (await market.daemon.request("POST", "/v1/api-keys", { label: "rows", role: "member" })).body.key;
  await market.daemon.request("POST", "/v1/controls/approval-rules", { limitAmount: microDollars(0.005) });
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

const batch = async (rows: string, ...words: string[]) =>
  await market.batch([rows, "-o", market.path("out.jsonl"), "--concurrency", "2", ...words], {
    env: { MKT_API_KEY: key },
  });
const waiting = async (): Promise<string[]> => {
  const { body } = await market.daemon.request("GET", "/v1/approvals");
  return body.items.map(({ runId }: { runId: string }) => runId);
};

test("rows that wait for a person hold up no other row, and the batch says what they wait for", async () => {
  const rows = market.write("rows.jsonl", itemsJsonl(5));

  const { exitCode, stderr } = await batch(rows);

  expect(exitCode).toBe(14);
  expect(stderr).toContain("5 runs waiting for a person's approval: mkt approvals");
  expect(stderr).toContain("--resume");
  expect(await waiting()).toHaveLength(5);
  expect(market.vendor.calls).toEqual([]);
});

test("continued, it takes the answers of what was approved, and leaves what still waits", async () => {
  const rows = market.write("rows.jsonl", itemsJsonl(3));
  await batch(rows);
  const [first = "", ...others] = await waiting();

  await market.daemon.request("POST", `/v1/approvals/${first}/approve`);
  const second = await batch(rows, "--resume");
  for (const runId of others) await market.daemon.request("POST", `/v1/approvals/${runId}/approve`);
  const third = await batch(rows, "--resume");

  expect([second.exitCode, third.exitCode]).toEqual([13, 0]);
  expect(second.stderr).toContain("2 runs waiting for a person's approval");
  expect(sortedResults(readFileSync(market.path("out.jsonl"), "utf8"))).toHaveLength(3);
  expect([...market.callsByItem().values()]).toEqual([1, 1, 1]);
  expect(await market.charged()).toBeCloseTo(0.03, 6);
});

test("continued, a row that was denied has that as its result, and is not asked for again", async () => {
  const rows = market.write("rows.jsonl", itemsJsonl(2));
  await batch(rows);
  for (const runId of await waiting()) {
    await market.daemon.request("POST", `/v1/approvals/${runId}/deny`, { reason: "too dear" });
  }

  const { exitCode } = await batch(rows, "--resume");

  expect(exitCode).toBe(7);
  expect(await waiting()).toEqual([]);
  const results = sortedResults(readFileSync(market.path("out.jsonl"), "utf8"));
  expect(results).toMatchObject([0, 1].map((index) => ({ index, status: "BLOCKED", cost: 0 })));
  expect(results[0]?.["error"]).toContain("too dear");
  expect(market.vendor.calls).toEqual([]);
});

test("what the rows that wait may cost counts towards --max-total", async () => {
  const rows = market.write("rows.jsonl", itemsJsonl(5));

  const { exitCode, stderr } = await batch(rows, "--max-total", "0.03");

  expect(await waiting()).toHaveLength(3);
  expect(exitCode).toBe(14);
  expect(stderr).toContain("The 5 rows left could cost up to $0.05: --max-total 0.05 is enough for all.");
});
