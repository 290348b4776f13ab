import { createReadStream, existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { parse } from "csv-parse";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reportTrial } from "../faults/trial.ts";
import { effort } from "../support/effort.ts";
import { type MktOutcome, startMkt } from "../support/spawn-mkt.ts";
import { itemsCsv } from "./batch-market.ts";
import { type QuickService, startQuickService } from "./quick-service.ts";

/** A batch takes no more memory for more rows. docs/command-line.md, "Batches". */

const ROWS = effort(2_000, 100_000);
/** Node 26 lets a young heap grow further before it collects: 95 to 107 MB, for any number of rows. */
const MOST_MEGABYTES = Number.parseInt(process.versions.node) < 26 ? 100 : 120;
const HANG_MS = effort(120_000, 3_600_000);
/** Where the system tells a process the most memory that it had. */
const STATUS = "/proc/self/status";

const skip = !existsSync(STATUS);
if (skip) process.stderr.write(`tests of a batch's memory skipped: there is no ${STATUS}\n`);

describe.skipIf(skip)(`a batch of ${ROWS} rows takes less than ${MOST_MEGABYTES} MB`, () => {
  let service: QuickService;
  let rows: string;
  beforeAll(async () => {
    service = await startQuickService();
    rows = service.write("rows.csv", itemsCsv(ROWS));
  });
  afterAll(async () => await service[Symbol.asyncDispose]());

  /** The command, so that its last line on stderr says its peak of resident memory. */
  const start = (out: string, ...flags: readonly string[]) => {
    const told = service.write(
      "tell-peak.mjs",
      `import { readFileSync, writeSync } from "node:fs";
process.on("exit", () => writeSync(2, /VmHWM:.*/.exec(readFileSync("${STATUS}", "utf8"))[0] + "\\n"));\n`,
    );
    const environment = { ...service.environment, NODE_OPTIONS: `--import=${told}` };
    const words = ["batch", "vendor/price", rows, "--map", "item", "-o", out, "--yes", ...flags];
    return startMkt(words, { home: service.home, environment, killAfterMs: HANG_MS });
  };

  test("with results as lines of JSON", { timeout: HANG_MS }, async (context) => {
    const out = service.path("out.jsonl");
    const sent = service.sent();

    const outcome = await start(out).exited;

    expect(outcome).toMatchObject({ code: 0 });
    expect(service.sent() - sent).toBe(ROWS);
    expect(readFileSync(out, "utf8").split("\n")).toHaveLength(ROWS + 1);
    const peak = peakOf(outcome);
    expect(peak).toBeLessThan(MOST_MEGABYTES);
    reportTrial(context, { what: "rows of a batch, as lines of JSON", tried: ROWS, lost: 0, note: `${peak} MB` });
  });

  test("with results in CSV, killed halfway and continued", { timeout: HANG_MS }, async (context) => {
    const out = service.path("out.csv");
    const sent = service.sent();
    const first = start(out);
    while (service.sent() < sent + ROWS / 2) await pause(5);
    await first.kill();

    const outcome = await start(out, "--resume").exited;

    expect(outcome).toMatchObject({ code: 0 });
    const indexes = new Set<string>();
    const lines = createReadStream(out).pipe(parse({ columns: true })) as AsyncIterable<Record<string, string>>;
    for await (const { index = "" } of lines) indexes.add(index);
    expect(indexes.size).toBe(ROWS);
    const peak = peakOf(outcome);
    expect(peak).toBeLessThan(MOST_MEGABYTES);
    reportTrial(context, { what: "rows of a batch, in CSV, continued", tried: ROWS, lost: 0, note: `${peak} MB` });
  });
});

/** In megabytes. */
function peakOf({ stderr }: MktOutcome): number {
  const [, kibibytes] = /VmHWM:\s*(\d+) kB/.exec(stderr) ?? [];
  return Math.round((Number(kibibytes) * 1_024) / 1e5) / 10;
}
