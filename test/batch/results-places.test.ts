import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import sqlite from "node-sqlite3-wasm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { type BatchMarket, itemsJsonl, openBatchMarket, PRICE, sortedResults } from "./batch-market.ts";

/** Where the results of a batch can go, and where they cannot. docs/command-line.md, "Batches". */

let market: BatchMarket;
let rows: string;
beforeEach(async () => {
  market = await openBatchMarket();
  rows = market.write("rows.jsonl", itemsJsonl(3));
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

describe("what is no file is refused before anything is paid, and not waited for", () => {
  test.each([
    ["a pipe", (path: string) => execFileSync("mkfifo", [path])],
    ["a device", (path: string) => symlinkSync("/dev/zero", path)],
    ["a device", (path: string) => symlinkSync("/dev/full", path)],
    ["a folder", (path: string) => mkdirSync(path)],
  ])("%s", async (kind, make) => {
    for (const end of ["jsonl", "csv", "sqlite", "xlsx"]) {
      const out = market.path(`out.${end}`);
      make(out);

      const { exitCode, stderr } = await market.batch([rows, "-o", out]);

      expect({ end, exitCode, stderr }).toMatchObject({ end, exitCode: 5, stderr: expect.stringContaining(kind) });
    }
    expect(market.vendor.calls).toEqual([]);
  });

  test("nor is the file beside a spreadsheet's", async () => {
    const out = market.path("out.xlsx");
    execFileSync("mkfifo", [`${out}.rows.jsonl`]);

    const { exitCode, stderr } = await market.batch([rows, "-o", out]);

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("is a pipe") });
  });
});

test("a file of somebody's own beside the results is left alone, whatever its name", async () => {
  const out = market.path("out.sqlite");
  const own = market.write("out.sqlite.new", "mine");

  expect(await market.batch([rows, "-o", out])).toMatchObject({ exitCode: 0 });

  expect(readFileSync(own, "utf8")).toBe("mine");
  expect(
    readdirSync(market.home.path)
      .filter((name) => name.startsWith(basename(out)))
      .sort(),
  ).toEqual(["out.sqlite", "out.sqlite.new"]);
});

describe("on a full disk", () => {
  /** The smallest database is too large for this process, and so is the smallest workbook; the lines are not. */
  const shellLine = "ulimit -f 2";

  test.each(["out.sqlite", "out.xlsx"])(
    "%s: what was done is said, and how to go on; then it goes on",
    async (name) => {
      const out = market.path(name);
      const { home, daemon } = market;
      const environment = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };
      const words = ["batch", "vendor/price", rows, "-o", out];

      const full = await spawnMkt(words, { home, environment, shellLine });
      const again = await spawnMkt([...words, "--resume"], { home, environment, shellLine });
      const left = readdirSync(home.path).filter((one) => one.startsWith(`${name}.`));
      const ended = await spawnMkt([...words, "--resume"], { home, environment });

      for (const { code, stderr } of [full, again]) {
        expect({ code, stderr }).toMatchObject({
          code: 5,
          stderr: expect.stringMatching(/^3 of 3 rows delivered · \$0\.03 · batch [0-9A-Z]{26}$/m),
        });
        expect(stderr).toContain(`${out} cannot be written: it is larger than this process may write (EFBIG`);
        expect(stderr).toContain(`The results so far are lines of JSON in ${out}.rows.jsonl.`);
        expect(stderr).toMatch(/next: mkt batch .* --resume$/m);
      }
      expect(left).toEqual([`${name}.rows.jsonl`]);
      expect(ended).toMatchObject({ code: 0 });
      expect(statSync(out).size).toBeGreaterThan(0);
      expect(existsSync(`${out}.rows.jsonl`)).toBe(false);
      expect(market.vendor.calls).toHaveLength(3);
      expect(await market.charged()).toBe(3 * PRICE);
    },
  );

  /** Only root may mount a disk of its own. */
  const mayMount = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", tmpdir()]).status === 0;

  test.runIf(mayMount).each([
    ["out.jsonl", 8_192],
    ["out.csv", 8_192],
    ["out.sqlite", 4_096],
    ["out.xlsx", 4_096],
  ])("%s: the file is named, and that its disk is full", async (name, filled) => {
    const { home, daemon } = market;
    const folder = market.path("disk");
    mkdirSync(folder);
    const out = join(folder, name);
    const disk = `mount -t tmpfs -o size=8k none "$0" && head -c ${filled} /dev/zero > "$0/filled" && exec "$@"`;

    const { code, stderr } = await spawnMkt(["batch", "vendor/price", rows, "-o", out], {
      home,
      environment: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key },
      shellLine: `set -- unshare --mount sh -c '${disk}' ${folder} "$@"`,
    });

    expect({ code, stderr }).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`${out} cannot be written: its disk is full (ENOSPC: no space left on device`),
    });
    expect(stderr).toMatch(/next: mkt batch .* --resume$/m);
  });

  test("lines of JSON: those that are whole stay, and the others follow", async () => {
    rows = market.write("many.jsonl", itemsJsonl(60));
    const out = market.path("out.jsonl");
    const { home, daemon } = market;
    const environment = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };
    const words = ["batch", "vendor/price", rows, "-o", out];

    const full = await spawnMkt(words, { home, environment, shellLine: "ulimit -f 4" });
    const ended = await spawnMkt([...words, "--resume"], { home, environment });

    expect(full.code).toBe(13);
    expect(full.stderr).toContain(`${out} cannot be written: it is larger than this process may write (EFBIG`);
    expect(full.stderr).toMatch(/next: mkt batch .* --resume$/m);
    expect(ended.code).toBe(0);
    expect(sortedResults(readFileSync(out, "utf8")).map(({ index }) => index)).toEqual(
      Array.from({ length: 60 }, (_, at) => at),
    );
    expect(market.vendor.calls).toHaveLength(60);
  });
});

test("a table that another program's database has is looked for where the link leads", async () => {
  const there = market.path("there.db");
  const database = new sqlite.Database(there);
  database.exec("CREATE TABLE results (mine)");
  database.close();
  symlinkSync(there, market.path("link.db"));

  const { exitCode, stderr } = await market.batch([rows, "-o", market.path("link.db")]);

  expect({ exitCode, stderr }).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("--table") });
});
