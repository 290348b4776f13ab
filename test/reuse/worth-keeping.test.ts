import { expect, test } from "vitest";
import { keptOnlyIfWorth } from "../../daemon/reuse/worth-keeping.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import { makeRun } from "../support/make-run.ts";

const reuse = { key: "k" };
const found = { success: true, output: [{ city: "Lisbon" }], count: 1 };

type StoppedBy = NonNullable<NonNullable<RunRecord["pages"]>["stoppedBy"]>;

function listStoppedBy(stoppedBy: StoppedBy | undefined): RunRecord {
  return makeRun({ reuse, pages: { read: 2, more: true, ...(stoppedBy !== undefined && { stoppedBy }) } });
}

test.each([
  ["to its end", undefined],
  ["as far as the run asked for", "maxPages"],
] as const)("a list that was read %s is kept for later runs", (_how, stoppedBy) => {
  const run = listStoppedBy(stoppedBy);

  expect(keptOnlyIfWorth(run, found)).toEqual(run);
});

test.each(["cost", "size", "loop", "failure"] as const)("a list that ended at its %s is not kept", (stoppedBy) => {
  const run = listStoppedBy(stoppedBy);

  const { reuse: _reuse, ...others } = run;
  expect(keptOnlyIfWorth(run, found)).toEqual(others);
});

test.each([
  ["an error", { ...found, success: false }],
  ["no results", { ...found, count: 0 }],
  ["nothing", { ...found, output: null }],
  ["an empty text", { ...found, output: "" }],
  ["an empty list", { ...found, output: [], count: undefined }],
  ["an empty object", { ...found, output: {}, count: undefined }],
])("an answer with %s is not kept", (_what, answer) => {
  expect(keptOnlyIfWorth(makeRun({ reuse }), answer)).not.toHaveProperty("reuse");
});

test("an answer of which nobody counts the results is kept, and so is one of zero or false", () => {
  for (const output of [0, false, "0", { city: "Lisbon" }])
    expect(keptOnlyIfWorth(makeRun({ reuse }), { success: true, output, count: undefined })).toMatchObject({ reuse });
});
