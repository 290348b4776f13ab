import { expect, test } from "vitest";
import { storyOf } from "../../console/runs/story.ts";
import type { Run } from "../../shared/contract/runs.ts";

/* A run as the console tells it. */

const at = (seconds: number) => `2026-11-27T12:00:${String(seconds).padStart(2, "0")}.000Z`;
const usd = (value: number) => ({ value, currency: "USD" as const });

const run: Run = {
  runId: "01RUN",
  caller: "API_KEY#1",
  provider: "meteo",
  endpoint: "/now",
  status: "COMPLETED",
  price: { type: "PER_CALL", amount: usd(0.01) } as unknown as Run["price"],
  input: {},
  output: null,
  resultCount: null,
  createdAt: at(0),
  completedAt: at(30),
  cost: usd(0.01),
};
const titles = (told: Run, controls: Parameters<typeof storyOf>[1] = []) =>
  storyOf(told, controls).map(({ title }) => title);

test("a story goes from the acceptance by gates, approval and attempts to the end and what came of it", () => {
  const told: Run = {
    ...run,
    approval: {
      status: "APPROVED",
      above: usd(0),
      maximum: usd(0.02),
      expiresAt: at(59),
      decidedAt: at(5),
      decidedByKey: "ann",
    },
    attempts: [
      { at: at(6), durationMs: 1_500, error: "no answer" },
      { at: at(10), httpStatus: 200, durationMs: 300 },
    ],
    alerts: [{ controlId: "b", percent: 80, period: "DAY", spent: usd(8), limit: usd(10) }],
    notes: ["cut"],
  };
  const gates = [{ controlType: "WORKSPACE_BUDGET", status: "PASSED", snapshot: { limitAmount: 10 } }];

  expect(storyOf(told, gates).map(({ title, text }) => [title, text])).toEqual([
    ["Accepted", undefined],
    ["Budget let it through", "Limit $10.00"],
    ["Needs approval", "It may cost $0.02, more than $0.00"],
    ["Approved", "By ann"],
    ["Called the provider", "after 1.5 s: no answer"],
    ["Provider answered 200", "after 300 ms"],
    ["Completed", "Charged $0.01"],
    ["Budget at 80 %", "$8.00 of $10.00 of this day"],
    ["Note", "cut"],
  ]);
});

test("what happened to a route, its attempts and a stop stand in the order of their times", () => {
  const told: Run = {
    ...run,
    status: "STOPPED",
    stopRequestedAt: at(7),
    attempts: [
      { at: at(2), httpStatus: 500, durationMs: 1 },
      { at: at(8), httpStatus: 200, durationMs: 1 },
    ],
    route: {
      provider: "routes",
      endpoint: "/now",
      attempts: [
        { provider: "one", endpoint: "/a", at: at(1), outcome: "left", reason: "it failed" },
        { provider: "two", endpoint: "/b", at: at(4), outcome: "answered" },
      ],
    } as unknown as Run["route"],
  };

  expect(titles(told)).toEqual([
    "Accepted",
    "Left one/a",
    "Provider answered 500",
    "Tried two/b",
    "Asked to stop",
    "Provider answered 200",
    "Stopped",
  ]);
});

test("a refused run names the gate, from the run itself where the list of gates is empty", () => {
  const controls = [{ controlId: "c", controlType: "RUN_CAP", snapshot: { limitAmount: usd(1) } }];
  const told = { ...run, status: "BLOCKED", cost: undefined, controls } as unknown as Run;

  expect(storyOf(told, [])).toMatchObject([
    { title: "Accepted" },
    { title: "Run cap refused it", tone: "bad", text: "Limit $1.00" },
    { title: "Blocked", tone: "warn" },
  ]);
});

test("a run that goes on ends with how it stands, and one that waits with what it waits for", () => {
  const going: Run = { ...run, status: "RUNNING", completedAt: undefined };
  const approval = { status: "WAITING" as const, above: usd(0), maximum: usd(1), expiresAt: at(59) };

  expect(titles(going)).toEqual(["Accepted", "Running"]);
  expect(titles({ ...going, status: "READY", approval })).toEqual(["Accepted", "Needs approval"]);
});

test("a story says where a run and its answer came from, and how many pages were read", () => {
  const told: Run = {
    ...run,
    schedule: { scheduleId: "01S" } as Run["schedule"],
    answeredFrom: { runId: "01OLD", completedAt: at(0), ageSeconds: 9, saved: usd(0.5) },
    pages: { read: 1, more: true, stoppedBy: "cost" },
  };

  expect(storyOf(told, [])).toMatchObject([
    { title: "Accepted", text: "By schedule 01S" },
    { title: "Answered from an earlier run", text: "01OLD, which cost $0.50" },
    { title: "Read 1 page", text: "There is more; stopped by cost" },
    { title: "Completed" },
  ]);
});
