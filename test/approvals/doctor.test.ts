import { expect, test } from "vitest";
import { LedgerCheck } from "../../daemon/doctor/check-ledger.ts";
import { accept, transition } from "../../daemon/runs/lifecycle/run-lifecycle.ts";
import { makeRun } from "../support/make-run.ts";

const at = "2026-11-21T10:00:05.000Z";
const { startedAt: _startedAt, ...born } = makeRun();
const waiting = {
  ...born,
  status: "READY" as const,
  approval: {
    ruleId: "r1",
    aboveMicroDollars: 5_000 as never,
    estimateMicroDollars: 10_000 as never,
    inputDigest: "d1",
    expiresAt: "2026-11-22T10:00:00.000Z",
  },
};

function reportsOf(lines: readonly object[]): string[] {
  const reports: string[] = [];
  const check = new LedgerCheck({ damage: (_check: string, message: string) => void reports.push(message) } as never);
  lines.forEach((content, index) => {
    const seq = index + 1;
    check.take({ content, seq, accepted: 1, file: "log", offset: 0, length: 1 } as never);
  });
  return reports.filter((message) => message.includes("approv") || message.includes("begins"));
}

const decision = { kind: "approved", at, by: "API_KEY#boss" } as const;
const asked = accept(waiting).line;
const yes = transition(waiting, { type: "approved", at, decision, keys: [] });
const go = transition(yes.run, { type: "go", at }).line;

test("the doctor finds nothing in a run that was approved and began", () => {
  expect(reportsOf([asked, yes.line!, go!])).toEqual([]);
});

test("the doctor finds a run that began without a yes", () => {
  expect(reportsOf([asked, go!])).toEqual([expect.stringMatching(/begins, and nobody has approved it/)]);
});

test("the doctor finds a yes for something else, or by the one who asked", () => {
  const line = yes.line as Extract<typeof yes.line, { t: "run.approved" }>;

  expect(reportsOf([asked, { ...line, of: { ...line.of, inputDigest: "d2" } }])).toEqual([
    expect.stringMatching(/for something else/),
  ]);
  expect(reportsOf([asked, { ...line, decision: { ...decision, by: waiting.caller } }])).toEqual([
    expect.stringMatching(/by the caller that asked/),
  ]);
  expect(reportsOf([asked, line, line])).toEqual([expect.stringMatching(/does not wait for that/)]);
});
