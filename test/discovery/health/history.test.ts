import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openHealthFile } from "../../../daemon/storage/documents/health-file.ts";
import { withSpanTime } from "../../../daemon/discovery/health/span-times.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { DAY, HOUR, runHistory } from "./run-history.ts";

/* What is kept for charts: a week in spans of three hours, in constant memory. docs/health.md */

const whose = (viewer: string, everybody = false) => ({ viewer, everybody });
const counts = (spans: readonly { runs: number; errors: number }[]) =>
  spans.map(({ runs, errors }) => `${runs}/${errors}`).filter((text) => text !== "0/0");

describe("the history of an endpoint", () => {
  test("has each span of the last week, and forgets what is older", () => {
    const history = runHistory();
    history.run("ann", "error", 2);
    history.pass(6 * HOUR);
    history.run("ann", "good", 3);
    const now = history.health.history("weather", ["/now"], whose("ann"));
    history.pass(8 * DAY);
    const later = history.health.history("weather", ["/now"], whose("ann"));

    expect(now).toHaveLength(56);
    expect(counts(now)).toEqual(["2/2", "3/0"]);
    expect(now.at(-1)).toMatchObject({ runs: 3, times: { average: 1_000, slowest: 1_000 } });
    expect(counts(later)).toEqual([]);
  });

  test("counts for a workspace its own runs alone, and for everybody those that count for others", () => {
    const history = runHistory();
    history.run("ann", "good", 1);
    history.run("bob", "good", 2);
    history.run("bob", "impatient", 4);

    const seen = (viewer: string, everybody: boolean) =>
      counts(history.health.history("weather", ["/now"], whose(viewer, everybody)));

    expect(seen("ann", false)).toEqual(["1/0"]);
    expect(seen("bob", false)).toEqual(["6/4"]);
    expect(seen("ann", true)).toEqual(["3/0"]);
  });

  test("survives a restart, and a file that was written before there were spans is read", async () => {
    using folder = tempDir();
    const history = runHistory();
    history.run("ann", "good", 2);
    const file = openHealthFile(folder.path);
    await file.write({ at: history.clock.nowMs, closed: true, evidence: history.health.evidence() });
    const after = runHistory();
    after.health.restore((await file.read())?.evidence ?? new Map());
    const path = join(folder.path, "health", "windows.ndjson");
    writeFileSync(path, withoutSpans(readFileSync(path, "utf8")));
    const old = runHistory();
    old.health.restore((await file.read())?.evidence ?? new Map());

    const last = (of: typeof after) => of.health.history("weather", ["/now"], whose("ann")).at(-1);
    expect(last(after)).toMatchObject({ runs: 2, times: { average: 1_000 } });
    expect(last(old)).toEqual({ at: expect.any(Number), runs: 2, errors: 0 });
  });
});

test("a span keeps its average when its sum would not fit any more", () => {
  const nearlyFull = Uint32Array.from([5, 4, 0xffff_fff0, 0x4000_0000]);

  const [span, count = 0, sumMs = 0, longest] = withSpanTime(nearlyFull, 5 * 3 * HOUR, 0x3fff_fffc);

  expect([span, longest]).toEqual([5, 0x4000_0000]);
  expect(sumMs / count / 0x3fff_fffc).toBeCloseTo(1, 3);
});

/** The file as it was before: a workspace had five members. */
function withoutSpans(text: string): string {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const older = lines.map((line) => {
    const [key, workspaces, times] = JSON.parse(line) as [string, unknown[][], number[]];
    return JSON.stringify([key, workspaces.map((one) => one.slice(0, 5)), times]);
  });
  return `${[head, ...older].join("\n")}\n`;
}
