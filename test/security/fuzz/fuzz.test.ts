import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spawnMkt } from "../../support/spawn-mkt.ts";
import { tried } from "../tried.ts";
import { fuzz, type FuzzReport, renderFault, renderRows } from "./fuzz.ts";
import { type FuzzMarket, openFuzzMarket } from "./fuzz-market.ts";
import { type HealthFigures, probeHealth } from "./health-probe.ts";

/**
 * Requests made of the service's own document, many of them wrong: whatever comes, it answers as the document says,
 * tells nobody what is not theirs, and its books are right afterwards. docs/security.md, T7, T13, T14 and T19.
 *
 *   MKT_FUZZ_REQUESTS=50000   how many requests; `npm run fuzz` prints what was tried of each operation
 *   MKT_FUZZ_SEED=7           the same requests again; the long form takes another seed each time, the short one does
 *                             not, so that a change is judged by the same requests as the one before it
 */
const SHORT = 800;
const count = Number(process.env["MKT_FUZZ_REQUESTS"] ?? SHORT);
const isLong = count > SHORT;
const seed = Number(process.env["MKT_FUZZ_SEED"] ?? (isLong ? Date.now() % 1_000_000_000 : 1));
/** A hang, not a delay: other tests flood this machine meanwhile. The long form is for one with nothing else to do. */
const MOST_HEALTH_MS = isLong ? 100 : 60_000;

let market: FuzzMarket;
let report: FuzzReport;
let health: HealthFigures;
beforeAll(
  async () => {
    market = await openFuzzMarket();
    const probe = probeHealth(market.daemon.url);
    const begin = performance.now();
    report = await fuzz(market, { count, seed });
    health = await probe.stop();
    const seconds = Math.round((performance.now() - begin) / 1_000);
    console.log(
      `${isLong ? `${renderRows(report.rows)}\n` : ""}MKT_FUZZ_SEED=${seed}: ${report.sent} requests in ${seconds} s, ${report.paid} paid runs; ` +
        `/health p50 ${health.p50.toFixed(1)} ms, p99 ${health.p99.toFixed(1)} ms (of the machine ${health.late.p99.toFixed(1)} ms), slowest ${health.slowest.toFixed(0)} ms`,
    );
  },
  Math.max(300_000, count * 100),
);
afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
});

describe("whatever is sent", () => {
  test("every answer is one that the document declares, and tells nobody what is not theirs", (context) => {
    expect(report.faults.map(renderFault).join("\n\n"), `MKT_FUZZ_SEED=${seed}`).toBe("");
    expect(report.sent).toBeGreaterThanOrEqual(count);
    tried(context, report.sent, `requests, ${report.paid} of them paid runs`);
  });

  test("every operation of the document was tried", () => {
    const untried = [...report.rows].filter(([, row]) => row.tried === 0).map(([operationId]) => operationId);

    expect(untried).toEqual([]);
  });

  test("at least a third of it were real runs that cost something", () => {
    expect(report.paid / report.sent).toBeGreaterThanOrEqual(1 / 3);
  });

  test("/health is answered meanwhile", () => {
    expect(health.failures).toEqual([]);
    expect(health.p99).toBeLessThan(MOST_HEALTH_MS);
  });

  test("the books are right afterwards: nothing is held for a run that ended, and all accounts sum to 0", async () => {
    const { code } = await market.daemon.kill();
    const { stdout, stderr } = await spawnMkt(["doctor", "--json"], {
      home: market.home,
      environment: { ...market.environment, MKT_PORT: "0", MKT_REGISTRY_PORT: "0" },
    });

    const { checks, findings } = JSON.parse(stdout) as DoctorReport;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(findings).toEqual([]);
    expect(checks).toContainEqual(expect.objectContaining({ check: "data", state: "ok" }));
  }, 120_000);
});

interface DoctorReport {
  readonly checks: readonly { readonly check: string; readonly state: string }[];
  readonly findings: readonly unknown[];
}
