import { expect, test } from "vitest";
import slowFiles from "./slow-files.json" with { type: "json" };
import { testFiles, unitFiles, whyNotUnit } from "./unit-lane.ts";

test("the unit lane has a quarter of the files", () => {
  const files = unitFiles();

  expect(files.length).toBeGreaterThan(testFiles().length * 0.25);
  expect(files).toContain("test/billing/charge.test.ts");
  expect(files).toContain("test/cli/exit-codes.test.ts");
});

test.each([
  ["test/spec/hints.test.ts", "test/support/start-daemon.ts starts a daemon"],
  ["test/faults/clock-steps.test.ts", "it starts a daemon"],
  ["test/daemon/background.test.ts", "test/support/spawn-mkt.ts starts a process"],
  ["test/hints/real-shells.test.ts", "it starts a process"],
  ["test/packaging/common-path.test.ts", "it needs the build"],
  ["test/faults/journal-faults.test.ts", expect.stringMatching(/^it takes [\d.]+ s$/)],
])("%s is not of it, because %s", (file, why) => {
  expect(whyNotUnit(file)).toEqual(why);
});

test("the list of slow files names only files that there are", () => {
  const files = testFiles();

  expect(Object.keys(slowFiles).filter((file) => !files.includes(file))).toEqual([]);
});
