import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "csv-parse/sync";
import readWorkbook from "read-excel-file/node";
import { describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { startRestartedDaemon } from "../support/restarted-daemon.ts";
import { runAndKill } from "../support/run-and-kill.ts";
import { type MktOutcome, mktProgram, spawnDaemon } from "../support/spawn-mkt.ts";
import { itemsCsv, manifestOf, PRICE, sortedResults } from "./batch-market.ts";
import { rowsOfTable } from "./rows-of-table.ts";

/** A batch that is killed anywhere and continued charges every row once. docs/command-line.md, "Batches". */

const ROWS = 120;
/** Of each kind of results. */
const KILLS = effort(3, 350);

describe("kill -9", () => {
  test.each([
    [".jsonl", (path: string) => Promise.resolve(sortedResults(readFileSync(path, "utf8")))],
    [".csv", rowsOfCsv],
    [".sqlite", (path: string) => Promise.resolve(rowsOfTable(path))],
    [".xlsx", rowsOfSheet],
  ])(
    "of the command, again and again: every row is charged once, and has one result in %s",
    async (end, resultsIn) => {
      await using vendor = await startFakeProvider();
      vendor.on("GET /price", ({ query }) => ({ json: { item: query.get("item") }, delayMs: 5 }));
      // The long form charges more than what a first workspace starts with.
      const environment = { MKT_STARTING_CREDIT: "10000" };
      await using daemon = await spawnDaemon({ manifests: { vendor: manifestOf(vendor.url) }, environment });
      const { home } = daemon;
      let batches = 0;
      const killed = { times: 0 };
      while (killed.times < KILLS) {
        const name = `rows${batches}`;
        batches += 1;
        const [rows, out] = [join(home.path, `${name}.csv`), join(home.path, `${name}-out${end}`)];
        writeFileSync(rows, itemsCsv(ROWS).replaceAll("item", `${name}-item`).replace(`${name}-item`, "item"));
        const words = ["batch", "vendor/price", rows, "--map", "item", "-o", out, "--concurrency", "4"];
        const outcome = await killedUntilDone(words, home, vendor, () => (killed.times += 1));
        expect(outcome).toMatchObject({ code: 0 });
        const results = await resultsIn(out);
        expect(results.map(({ index }) => index)).toEqual(Array.from({ length: ROWS }, (_, at) => at));
        expect(new Set(results.map(({ runId }) => runId)).size).toBe(ROWS);
        expect(readdirSync(home.path).filter((file) => file.startsWith(`${name}-out${end}.`))).toEqual([]);
      }

      const called = vendor.calls.map(({ query }) => query.get("item"));
      expect(called).toHaveLength(ROWS * batches);
      expect(new Set(called).size).toBe(ROWS * batches);
      const { body } = await daemon.request("GET", "/v1/usage");
      expect(body.total.charged.value).toBeCloseTo(ROWS * batches * PRICE, 6);
    },
    effort(120_000, 3_600_000),
  );

  test("of the daemon while a batch runs: the batch waits for the next daemon and goes on", async () => {
    await using vendor = await startFakeProvider();
    vendor.on("GET /price", ({ query }) => ({ json: { item: query.get("item") }, delayMs: 5 }));
    await using daemon = await startRestartedDaemon({ manifests: { vendor: manifestOf(vendor.url) } });
    const { home } = daemon.now();
    writeFileSync(join(home.path, "rows.csv"), itemsCsv(ROWS));
    const out = join(home.path, "out.jsonl");
    const child = start(
      ["batch", "vendor/price", join(home.path, "rows.csv"), "--map", "item", "-o", out, "--concurrency", "4"],
      { ...home.environment, MKT_NO_AUTOSTART: "1" },
    );
    const ended = once(child, "exit");
    await until(() => vendor.calls.length > 20);
    await daemon.killAndRestart();

    expect((await ended)[0]).toSatisfy((code: number) => code === 0 || code === 13);
    const results = sortedResults(readFileSync(out, "utf8"));
    expect(results).toHaveLength(ROWS);
    // What was at the vendor when the daemon died has an unknown end: it is told, and neither repeated nor charged.
    const delivered = results.filter(({ error }) => error === undefined);
    expect(delivered.length).toBeGreaterThanOrEqual(ROWS - 4);
    const { body } = await daemon.ask("GET", "/v1/usage");
    expect(body.total.charged.value).toBeCloseTo(delivered.length * PRICE, 6);
  }, 120_000);

  test("of the daemon while a row's run is waited for: the batch waits as long as for one to be sent", async () => {
    await using vendor = await startFakeProvider();
    const job = {
      start: { id: "$.id" },
      runMs: 120_000,
      poll: {
        method: "GET",
        path: "/jobs/${run.externalId}",
        everyMs: 50,
        status: "$.state",
        states: { running: ["busy"], done: ["done"] },
      },
    };
    vendor.on("GET /price", { status: 202, json: { id: "j1" } });
    vendor.on("GET /jobs/*", { json: { state: "busy" } });
    using home = mktHome();
    const manifests = { vendor: manifestOf(vendor.url, { async: job }) };
    await using first = await spawnDaemon({ home, manifests });
    const out = join(home.path, "out.jsonl");
    writeFileSync(join(home.path, "rows.csv"), itemsCsv(1));
    const child = start(["batch", "vendor/price", join(home.path, "rows.csv"), "--map", "item", "-o", out], {
      ...home.environment,
      MKT_NO_AUTOSTART: "1",
    });
    const ended = once(child, "exit");
    await until(() => vendor.count("GET /jobs/*") > 3);
    await first.kill("SIGKILL");
    // A command that runs one endpoint gives up after ten seconds.
    await delay(14_000);
    vendor.on("GET /jobs/*", { json: { state: "done" } });
    await using second = await spawnDaemon({ home, manifests, args: ["--port", new URL(first.url).port] });

    expect((await ended)[0]).toBe(0);
    expect(sortedResults(readFileSync(out, "utf8"))).toMatchObject([{ index: 0, status: "COMPLETED", cost: PRICE }]);
    expect(vendor.count("GET /price")).toBe(1);
    expect((await second.request("GET", "/v1/usage")).body.total.charged.value).toBe(PRICE);
  }, 120_000);
});

/** Every cell is a text there; a result's number is what the test looks at. */
async function rowsOfCsv(path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = parse(readFileSync(path), { columns: true });
  return rows.map((row) => ({ ...row, index: Number(row["index"]) })).sort((a, b) => a.index - b.index);
}

async function rowsOfSheet(path: string): Promise<Record<string, unknown>[]> {
  const [sheet] = await readWorkbook(path);
  const [names = [], ...rows] = sheet?.data ?? [];
  return rows.map((cells) => Object.fromEntries(cells.map((cell, at) => [String(names[at]), cell])));
}

/** Kills the command at a random place, continues it, and so on until it ends by itself. */
async function killedUntilDone(
  words: readonly string[],
  home: MktHome,
  vendor: FakeProvider,
  onKill: () => void,
): Promise<Pick<MktOutcome, "code" | "stderr">> {
  const places = { calls: () => vendor.calls.length, mostCalls: ROWS * 0.75 };
  let resume: string[] = [];
  for (;;) {
    const outcome = await runAndKill([...words, ...resume], { home }, places);
    if (outcome === undefined) {
      onKill();
      resume = ["--resume"];
      continue;
    }
    if (outcome.code !== 5 || resume.length === 0) return outcome;
    // Nothing is interrupted: it was killed as it ended, or before it was kept. Then nothing was sent, and it begins anew.
    if (existsSync(words[words.indexOf("-o") + 1] ?? "")) return { ...outcome, code: 0 };
    resume = [];
  }
}

function start(words: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [mktProgram, ...words], { env: { ...process.env, ...environment }, stdio: "ignore" });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}
