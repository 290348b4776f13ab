import { expect, test } from "vitest";
import { startTwoDaemons, type TwoDaemons } from "./two-daemons.ts";

test("a schedule runs an endpoint of another market at its due time, once, for what the market charges", async () => {
  const time = { nowMs: Date.parse("2026-07-15T12:30:20.000Z") };
  await using daemons = await startTwoDaemons({ laptop: { clock: { now: () => time.nowMs } } });
  const { laptop, team, vendor } = daemons;
  const made = await laptop.request("POST", "/v1/schedules", {
    provider: "team-acme",
    endpoint: "/buy",
    input: { body: { thing: "tea" } },
    cron: "* * * * *",
    budget: { amount: { value: 1, currency: "USD" }, period: "DAY" },
  });
  const path = `/v1/schedules/${made.body.scheduleId}`;
  const occurrences = async () => (await laptop.request("GET", `${path}/occurrences`)).body.items;

  time.nowMs = Date.parse("2026-07-15T12:31:00.000Z");
  await expect
    .poll(occurrences, { timeout: 15_000 })
    .toMatchObject([{ dueAt: "2026-07-15T12:31:00.000Z", outcome: "RUN", runStatus: "COMPLETED" }]);
  const [{ runId }] = await occurrences();
  const run = (await laptop.request("GET", `/v1/runs/${runId}`)).body;
  const shown = (await laptop.request("GET", path)).body;

  expect(made.status).toBe(201);
  expect(run).toMatchObject({ schedule: { scheduleId: made.body.scheduleId }, cost: { value: 0.010001 } });
  expect(run.market).toMatchObject({ status: "COMPLETED" });
  expect(shown.budget).toMatchObject({ spent: { value: 0.010001 }, held: { value: 0 } });
  expect([await charged(laptop), await charged(team)]).toEqual([0.010001, 0.010001]);
  expect(vendor.count("POST /buy")).toBe(1);
});

/** Dollars that this daemon has charged in all, in the month that its own clock shows. */
async function charged({ request }: TwoDaemons["team"]): Promise<number> {
  return (await request("GET", "/v1/usage")).body.total.charged.value;
}
