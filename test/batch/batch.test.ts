import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ctrlC, jsonLines, lastLine, type CliOutcome, type CliSurroundings } from "../support/run-cli.ts";
import { type BatchMarket, itemsCsv, itemsJsonl, openBatchMarket, sortedResults } from "./batch-market.ts";

/** `mkt batch`: one run for each row of a file. docs/command-line.md, "Batches". */

let market: BatchMarket;
beforeEach(async () => {
  market = await openBatchMarket();
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

/** What this process has open. */
const openFiles = () =>
  readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
const read = (name: string) => readFileSync(market.path(name), "utf8");
const recordsKept = () => {
  try {
    return readdirSync(`${market.home.configDir}/batches`);
  } catch {
    return [];
  }
};

describe("rows and results", () => {
  test("each row of a table is run once, and its result says which row, run, cost and data", async () => {
    const rows = market.write("rows.csv", itemsCsv(5));

    const { exitCode, stdout, stderr } = await market.batch([rows, "--map", "item"]);

    expect({ exitCode, last: lastLine(stderr) }).toEqual({
      exitCode: 0,
      last: expect.stringMatching(/^5 of 5 rows delivered · \$0\.05 · batch [0-9A-Z]{26}$/),
    });
    expect(sortedResults(stdout)).toEqual(
      Array.from({ length: 5 }, (_, index) => ({
        index,
        runId: expect.stringMatching(/^[0-9A-Z]{26}$/),
        status: "COMPLETED",
        cost: 0.01,
        input: { item: `item${index}`, note: 'a, "b"' },
        output: { item: `item${index}`, price: 12.5 },
      })),
    );
    expect([...market.callsByItem().values()]).toEqual([1, 1, 1, 1, 1]);
    expect(await market.charged()).toBe(0.05);
    expect(recordsKept()).toEqual([]);
  });

  test("a table of results has the row's columns and one for each member of the output", async () => {
    const rows = market.write("rows.csv", itemsCsv(2));

    const { exitCode } = await market.batch([
      rows,
      "--map",
      "item",
      "-o",
      market.path("out.csv"),
      "--concurrency",
      "1",
    ]);

    expect(exitCode).toBe(0);
    const [header, first] = read("out.csv").split("\r\n");
    expect(header).toBe("index,runId,status,cost,error,item,note,output.item,output.price,output.others");
    expect(first).toMatch(/^0,[0-9A-Z]{26},COMPLETED,0\.01,,item0,"a, ""b""",item0,12\.5,$/);
  });

  test("lines of JSON are input as they are, or by parts of the request; columns are mapped by name", async () => {
    const flat = market.write("flat.jsonl", itemsJsonl(1));
    const parts = market.write("parts.jsonl", '{"queryParams":{"item":"whole"}}\n\n');
    const mapped = market.write("mapped.csv", "name,other\nx,1\n");

    for (const words of [[flat], [parts], [mapped, "--map", "name=item", "locale=fr"]]) {
      expect(await market.batch(words)).toMatchObject({ exitCode: 0 });
    }

    expect(market.vendor.calls.map(({ url }) => url)).toEqual([
      "/price?item=item0",
      "/price?item=whole",
      "/price?locale=fr&item=x",
    ]);
  });

  test("lines of blanks and of empty cells are no rows: they are skipped, and said", async () => {
    const csv = market.write("rows.csv", "\nitem,locale\n  \na,fr\n,\n , \n\nb,\n");
    const jsonl = market.write("rows.jsonl", '{"item":"c"}\n  \n\n{"item":"d"}');

    const table = await market.batch([csv]);
    const lines = await market.batch([jsonl]);
    const refused = await market.batch([market.write("wrong.csv", "item,limit\n\n,\nx,many\n")]);

    expect(sortedResults(table.stdout).map(({ index, input }) => ({ index, input }))).toEqual([
      { index: 0, input: { item: "a", locale: "fr" } },
      { index: 1, input: { item: "b", locale: "" } },
    ]);
    expect(table.stderr).toContain(`5 blank lines of ${csv} skipped.\n2 rows of ${csv}`);
    expect(sortedResults(lines.stdout)).toHaveLength(2);
    expect(lines.stderr).toContain(`2 blank lines of ${jsonl} skipped.`);
    expect(refused.stderr).toContain("Line 4 of ");
  });

  test("rows come from a pipe too, such as <(program), and a device is refused", async () => {
    const pipe = market.path("pipe.csv");
    execFileSync("mkfifo", [pipe]);

    const [piped] = await Promise.all([market.batch([pipe]), writeFile(pipe, "item\na\nb\n")]);
    const endless = await market.batch(["/dev/zero", "--format", "csv"]);

    expect(endless).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("/dev/zero is a device") });
    expect(sortedResults(piped.stdout)).toHaveLength(2);
  });

  test.skipIf(!existsSync("/proc/self/fd"))(
    "a batch of <(program) is continued with the same rows on standard input",
    async () => {
      const pipe = market.path("pipe");
      execFileSync("mkfifo", [pipe]);
      const opened = () => openFiles().filter((path) => path === pipe);
      const flags = ["--format", "jsonl", "-o", market.path("out.jsonl"), "--concurrency", "1", "--max-total"];

      // As the shell has it: a pipe that is there as long as the command runs.
      const shell = await open(pipe, "r+");
      const interrupted = market.batch([`/dev/fd/${shell.fd}`, ...flags, "0.02"]);
      await expect.poll(() => opened().length, { timeout: 15_000 }).toBe(2);
      await shell.write(itemsJsonl(3));
      await shell.close();
      const { stderr } = await interrupted;
      const resumed = await market.batch(["-", ...flags, "0.03", "--resume"], { stdin: itemsJsonl(3) });

      expect(stderr).toContain("It needs the same rows again, on standard input.");
      expect(stderr).toMatch(/mkt batch vendor\/price - --format jsonl .*--max-total 0.03 --resume/);
      expect(resumed.exitCode).toBe(0);
    },
  );

  test("standard input is rows too, in the format that is named", async () => {
    const unnamed = await market.batch(["-"], { stdin: itemsJsonl(1) });
    const named = await market.batch(["-", "--format", "jsonl"], { stdin: itemsJsonl(2) });

    expect(unnamed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--format csv or --format jsonl") });
    expect(sortedResults(named.stdout)).toHaveLength(2);
  });

  test("every run has the batch's id as a tag, and the caller's tags", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(2));

    const { stderr } = await market.batch([rows, "--tag", "team=a"]);

    const batchId = lastLine(stderr).split("batch ").at(-1);
    const { body } = await market.daemon.request("GET", `/v1/runs?tag=batch:${batchId}`);
    expect(body.items.map(({ tags }: { tags: object }) => tags)).toEqual([
      { team: "a", batch: batchId },
      { team: "a", batch: batchId },
    ]);
  });

  test("with --json stdout has one value: the summary, and the results unless they are in a file", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(3));

    const without = await market.batch([rows, "--json"]);
    const { stdout, exitCode } = await market.batch([rows, "--json", "-o", market.path("out.jsonl")]);

    const cost = { value: 0.03, currency: "USD" };
    const summary = { batchId: expect.any(String), rows: 3, done: 3, delivered: 3, failed: 0, cost };
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(summary);
    expect(JSON.parse(without.stdout)).toEqual({ ...summary, items: expect.any(Array) });
    expect(JSON.parse(without.stdout).items).toHaveLength(3);
  });
});

describe("before anything is paid", () => {
  test("the total is quoted, and --dry-run runs nothing", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(500));

    const dry = await market.batch([rows, "--dry-run"]);
    const asJson = await market.batch([rows, "--dry-run", "--json"]);

    const amount = { value: 5, currency: "USD" };
    const quote = { endpoint: "vendor/price", rows: 500, estimate: amount, maximum: amount };
    expect(JSON.parse(dry.stdout)).toMatchObject(quote);
    expect(JSON.parse(asJson.stdout)).toEqual({ ...quote, run: expect.stringMatching(/^mkt .*batch vendor\/price/) });
    expect(market.vendor.calls).toEqual([]);
    expect(recordsKept()).toEqual([]);
  });

  test.each([
    ["a column that is no input", "item,other\nx,1\n", /Line 2 of .*no input "other".*--map column=field/s],
    ["a value of the wrong type", "item,limit\nx,1\ny,many\n", /Line 3 of .*"limit" must be an integer, but "many"/],
    ["a line with too many cells", "item\n\nx,1\n", /Line 3 of .* has 2 cells, and the first line names 1\./],
    ["a line with too few cells", "item,locale\nx\n", /Line 2 of .* has 1 cell, and the first line names 2\./],
    ["a quote inside a plain value", 'item\nx\n5" disk\n', /is not CSV: /],
    ["a name twice", "item,item\nx,1\n", /two columns with the name "item"/],
    ["no rows", "item\n", /has no rows/],
    ["a table with semicolons", "item;locale\nx;fr\n", /separate the columns by commas/],
  ])("%s is refused by line, though all before it are right", async (_what, text, message) => {
    const rows = market.write("rows.csv", text);

    const { exitCode, stderr } = await market.batch([rows]);

    expect(exitCode).toBe(5);
    expect(stderr).toMatch(message);
    expect(market.vendor.calls).toEqual([]);
  });

  test("lines of JSON that are no objects are refused by line", async () => {
    const rows = market.write("rows.jsonl", '{"item":"x"}\n[1]\n');

    expect(await market.batch([rows])).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("Line 2 of") });
    expect(market.vendor.calls).toEqual([]);
  });

  test("letters of another encoding are refused, and UTF-16 is read by its byte order mark", async () => {
    writeFileSync(market.path("latin1.csv"), Buffer.from("item\nx\nCaf\u00e9\n", "latin1"));
    writeFileSync(market.path("latin1.jsonl"), Buffer.from('{"item":"Caf\u00e9"}\n', "latin1"));
    writeFileSync(market.path("utf16.csv"), Buffer.from("\ufeffitem\nCaf\u00e9\n", "utf16le"));

    for (const name of ["latin1.csv", "latin1.jsonl"]) {
      expect(await market.batch([market.path(name)])).toMatchObject({
        exitCode: 5,
        stderr: expect.stringContaining(`${name} is not UTF-8`),
      });
    }
    const { stdout } = await market.batch([market.path("utf16.csv")]);

    expect(sortedResults(stdout).map(({ output }) => output)).toEqual([{ item: "Caf\u00e9", price: 12.5 }]);
  });

  test("results that have no folder are refused, and no batch is begun", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(1));

    const { exitCode, stderr } = await market.batch([rows, "-o", market.path("nowhere/out.jsonl")]);

    expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: expect.stringContaining("cannot be written") });
    expect(recordsKept()).toEqual([]);
    expect(market.vendor.calls).toEqual([]);
  });

  test("a map of a column that is not there is refused", async () => {
    const rows = market.write("rows.csv", "item\nx\n");

    expect(await market.batch([rows, "--map", "itme=item"])).toMatchObject({
      exitCode: 5,
      stderr: expect.stringMatching(
        /There is no column "itme".* Did you mean item\? It has item\.\n.*mkt inspect vendor\/price/,
      ),
    });
  });

  test("a file that is there already is not overwritten", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(1));
    market.write("out.jsonl", "mine\n");

    const { exitCode } = await market.batch([rows, "-o", market.path("out.jsonl")]);

    expect(exitCode).toBe(5);
    expect(read("out.jsonl")).toBe("mine\n");
    expect(market.vendor.calls).toEqual([]);
  });
});

describe("money", () => {
  /** The words of the command that is offered, behind `mkt batch vendor/price`. */
  const resumed = (stderr: string) => /next: mkt batch vendor\/price (.*)/.exec(stderr)![1]!.split(" ");

  test("--max-total is never passed, at any concurrency", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(50));
    market.answer(({ query }) => ({ json: { item: query.get("item") }, delayMs: 3 }));

    const { exitCode, stderr } = await market.batch([rows, "--max-total", "0.125", "--concurrency", "32"]);

    expect(exitCode).toBe(13);
    expect(stderr).toContain("The next row could exceed --max-total.");
    expect(await market.charged()).toBe(0.12);
  });

  test("stopped by --max-total, it offers the limit that is enough for all rows, and that one is", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(10));
    const words = [rows, "-o", market.path("out.jsonl")];

    const stopped = await market.batch([...words, "--max-total", "0.035", "--concurrency", "4"]);
    const again = await market.batch([...words, "--max-total=0.035", "--resume"]);
    const offered = resumed(stopped.stderr);
    const ended = await market.batch(offered);

    expect(stopped.stderr).toContain(
      "The next row could exceed --max-total. The 7 rows left could cost up to $0.07: --max-total 0.1 is enough for all.",
    );
    expect(offered.filter((word) => word.startsWith("--max-total"))).toHaveLength(1);
    expect(resumed(again.stderr)).toEqual([...words, "--max-total", "0.1", "--resume"]);
    expect(ended.exitCode).toBe(0);
    expect(await market.charged()).toBe(0.1);
  });

  test("the limit that is offered is enough where rows cost less than they hold, and are sent again for stdout", async () => {
    const price = { type: "PER_RESULT", amount: 0.01 };
    const usage = { count: "$.items", estimate: { count: 1, max: "input:queryParams.limit" } };
    const limit = { type: "integer", maximum: 10 };
    const input = { queryParams: { type: "object", properties: { item: { type: "string" }, limit } } };
    await using lists = await openBatchMarket({ endpoint: { price, usage, input } });
    lists.answer(() => ({ json: { items: [1] } }));
    const rows = lists.write("rows.csv", "limit\n9\n9\n1\n");

    const stopped = await lists.batch([rows, "--max-total", "0.09", "--", "item=x"]);
    const ended = await lists.batch(resumed(stopped.stderr));

    expect(stopped).toMatchObject({ exitCode: 13, stderr: expect.stringContaining("--max-total 0.11 is enough") });
    expect(resumed(stopped.stderr)).toEqual([rows, "--max-total", "0.11", "--resume", "--", "item=x"]);
    expect(ended.exitCode).toBe(0);
    expect(await lists.charged()).toBe(0.03);
  });

  test("--max-cost refuses a batch whose rows could cost more, though each is limited to its own price", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(3));

    const refused = await market.batch([rows, "--max-cost", "0.009"]);
    const allowed = await market.batch([rows, "--max-cost", "0.01"]);

    expect(refused).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("--max-cost allows $0.009") });
    expect(allowed.exitCode).toBe(0);
    expect(await market.charged()).toBe(0.03);
  });

  test("every row is limited to its price, and what is free to nothing", async () => {
    await using free = await openBatchMarket({ endpoint: { price: { type: "PER_CALL", amount: 0 } } });
    for (const one of [market, free]) await one.batch([one.write("rows.jsonl", itemsJsonl(1))]);

    const limits = [market, free].map(async ({ daemon }) => {
      const { body } = await daemon.request("GET", "/v1/runs");
      return (await daemon.request("GET", `/v1/runs/${body.items[0].runId}`)).body.maxCost.value;
    });

    expect(await Promise.all(limits)).toEqual([0.01, 0]);
  });

  test("--max-cost leaves out the rows that could cost more, where the input decides the price", async () => {
    const price = {
      type: "PER_UNIT_MATRIX",
      selectors: [{ label: "Locale", key: "locale", in: "queryParam" }],
      variants: [
        { when: { locale: "a" }, price: { type: "PER_CALL", amount: 0.01 } },
        { when: { locale: "b" }, price: { type: "PER_CALL", amount: 0.05 } },
      ],
      default: { type: "PER_CALL", amount: 0.05 },
    };
    await using dear = await openBatchMarket({ endpoint: { price } });
    const rows = dear.write("rows.csv", "item,locale\nx,a\ny,b\nz,a\n");

    const { exitCode, stdout } = await dear.batch([rows, "--max-cost", "0.02", "--max-total", "0.02"]);

    expect(exitCode).toBe(13);
    expect(sortedResults(stdout).map(({ status }) => status)).toEqual(["COMPLETED", "REFUSED", "COMPLETED"]);
    expect(await dear.charged()).toBe(0.02);
  });

  test("a continued batch counts what the interrupted one cost", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(10));
    const out = market.path("out.jsonl");

    await market.batch([rows, "-o", out, "--max-total", "0.04"]);
    const second = await market.batch([rows, "-o", out, "--max-total", "0.06", "--resume"]);

    expect(second.exitCode).toBe(13);
    expect(await market.charged()).toBe(0.06);
    expect(sortedResults(read("out.jsonl")).map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("a budget stops the batch, and the row that it blocked is tried again later", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(5));
    const limitAmount = { value: 2, unit: "CENT", currency: "USD" };
    const { body } = await market.daemon.request("POST", "/v1/controls/workspace/budgets", {
      period: "DAY",
      limitAmount,
    });
    const out = market.path("out.jsonl");

    const first = await market.batch([rows, "-o", out, "--concurrency", "1"]);
    await market.daemon.request("DELETE", `/v1/controls/workspace/budgets/${body.budgetControlId}`);
    const second = await market.batch([rows, "-o", out, "--concurrency", "1", "--resume"]);

    expect(first).toMatchObject({ exitCode: 13, stderr: expect.stringContaining("was blocked") });
    expect(second.exitCode).toBe(0);
    expect(sortedResults(read("out.jsonl")).map(({ status }) => status)).toEqual(Array(5).fill("COMPLETED"));
    expect([...market.callsByItem().values()]).toEqual([1, 1, 1, 1, 1]);
  });

  test.each([
    ["a key's limit", "key"],
    ["a budget", "budget"],
  ])("what parallel rows hold does not stop a batch whose money suffices: %s", async (_title, what) => {
    // A row costs a cent and holds ten.
    const price = { type: "PER_RESULT", amount: 0.01 };
    const usage = { count: "$.items", estimate: { count: 1, max: 10 } };
    await using held = await openBatchMarket({ endpoint: { price, usage } });
    held.answer(() => ({ json: { items: [1] } }));
    const rows = held.write("rows.jsonl", itemsJsonl(6));
    const limit = { value: 0.16, currency: "USD" };
    const spendLimit = { amount: limit, period: "DAY" };
    const key = await held.daemon.request("POST", "/v1/api-keys", {
      label: "k",
      ...(what === "key" && { spendLimit }),
    });
    if (what === "budget") {
      const limitAmount = { value: 16, unit: "CENT", currency: "USD" };
      await held.daemon.request("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount });
    }

    const outcome = await held.batch([rows], { env: { MKT_API_KEY: key.body.key } });

    expect(outcome).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("6 of 6 rows delivered · $0.06") });
    expect(held.vendor.calls).toHaveLength(6);
  });

  test("an endpoint that is no longer served stops it with a word, and the rest is run when it is there again", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(6));
    const out = market.path("out.jsonl");
    market.answer(({ query }) => ({
      json: { item: query.get("item") },
      ...(query.get("item") === "item2" && { after: market.disable() }),
    }));

    const first = await market.batch([rows, "-o", out, "--concurrency", "1"]);
    await market.restart({});
    const second = await market.batch([rows, "-o", out, "--resume"]);

    expect(first).toMatchObject({
      exitCode: 13,
      stderr: expect.stringContaining("vendor/price is not served any more"),
    });
    expect(first.stderr).toContain("--resume");
    expect(second.exitCode).toBe(0);
    expect(sortedResults(read("out.jsonl")).map(({ status }) => status)).toEqual(Array(6).fill("COMPLETED"));
  });

  test("an empty wallet stops it", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(5));
    const poor = await market.daemon.request("POST", "/v1/admin/workspaces", { name: "Poor", slug: "poor" });
    const { workspaceId } = poor.body;
    const key = await market.daemon.request("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: "a" });

    const outcome = await market.batch([rows], { env: { MKT_API_KEY: key.body.key } });

    expect(outcome).toMatchObject({ exitCode: 7, stdout: "" });
    expect(market.vendor.calls).toEqual([]);
  });
});

describe("the exit code", () => {
  test("says all, some or none", async () => {
    market.answer(({ query }) => (query.get("item") === "item1" ? { status: 404 } : { json: {} }));
    const three = market.write("three.jsonl", itemsJsonl(3));
    const bad = market.write("bad.jsonl", '{"item":"item1"}\n');

    const some = await market.batch([three]);
    const none = await market.batch([bad]);

    expect([some.exitCode, none.exitCode]).toEqual([13, 3]);
    expect(sortedResults(some.stdout)[1]).toMatchObject({
      status: "COMPLETED",
      cost: 0,
      error: expect.stringContaining("The provider answered 404"),
    });
  });

  test("of a row that the service refuses, the others go on", async () => {
    const rows = market.write("rows.jsonl", '{"item":"a"}\n{"locale":"fr"}\n{"item":"c"}\n');

    const { exitCode, stdout } = await market.batch([rows]);

    expect(exitCode).toBe(13);
    expect(sortedResults(stdout).map(({ status }) => status)).toEqual(["COMPLETED", "REFUSED", "COMPLETED"]);
  });
});

describe("interrupted", () => {
  async function interruptedAfter(
    calls: number,
    words: readonly string[],
    surroundings: CliSurroundings = {},
  ): Promise<CliOutcome> {
    const keyboard = ctrlC();
    market.answer(({ query }) => {
      if (market.vendor.calls.length === calls) keyboard.press();
      return { json: { item: query.get("item") } };
    });
    return await market.batch(words, { ...surroundings, onInterrupt: keyboard.onInterrupt });
  }

  test("by Ctrl-C it ends at once and says how to continue; then each row is charged once", async () => {
    const rows = market.write("rows.csv", itemsCsv(20));
    const out = market.path("out.csv");
    const words = [rows, "--map", "item", "-o", out, "--concurrency", "3"];

    const first = await interruptedAfter(7, words);
    const again = await market.batch(words);
    const resumed = await market.batch([...words, "--resume"]);

    expect(first).toMatchObject({ exitCode: 130, stderr: expect.stringContaining("--resume") });
    expect(again).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("has not ended") });
    expect(resumed.exitCode).toBe(0);
    expect(await market.charged()).toBe(0.2);
    expect([...market.callsByItem().values()]).toEqual(Array(20).fill(1));
    const indices = read("out.csv")
      .trimEnd()
      .split("\r\n")
      .slice(1)
      .map((line) => Number(line.split(",")[0]));
    expect(indices.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  test("a price that rose meanwhile is asked about; what was sent before costs what it cost then", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(10));
    const out = market.path("out.jsonl");
    const words = [rows, "-o", out, "--concurrency", "1"];
    await interruptedAfter(6, words);
    // A row that was charged, and of which there is no result.
    const written = read("out.jsonl").trimEnd().split("\n");
    market.write("out.jsonl", `${written.slice(0, -1).join("\n")}\n`);
    await market.restart({ price: { type: "PER_CALL", amount: 0.02 } });

    const unasked = await market.batch([...words, "--resume"]);
    const resumed = await market.batch([...words, "--resume", "--yes"]);

    expect(unasked).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("Each row can now cost $0.02, and $0.01 when the batch was interrupted."),
    });
    expect(resumed.exitCode).toBe(0);
    expect([...market.callsByItem().values()]).toEqual(Array(10).fill(1));
    const costs = sortedResults(read("out.jsonl")).map(({ cost }) => cost);
    expect(costs).toEqual([...Array(6).fill(0.01), ...Array(4).fill(0.02)]);
    expect(await market.charged()).toBe(0.14);
  });

  test("what is left of a line is cut off, in a table too", async () => {
    for (const format of ["jsonl", "csv"]) {
      const rows = market.write(`rows-${format}.jsonl`, itemsJsonl(6).replaceAll("item", `item`));
      const out = market.path(`cut.${format}`);
      const words = [rows, "-o", out, "--concurrency", "1", "--tag", `form=${format}`];
      await interruptedAfter(market.vendor.calls.length + 4, words);
      market.write(`cut.${format}`, read(`cut.${format}`).slice(0, -5));

      const resumed = await market.batch([...words, "--resume"]);

      expect(resumed.exitCode).toBe(0);
      const lines = read(`cut.${format}`)
        .trimEnd()
        .split("\n")
        .slice(format === "csv" ? 1 : 0);
      expect(lines).toHaveLength(6);
    }
    expect([...market.callsByItem().values()]).toEqual(Array(6).fill(2));
    expect(await market.charged()).toBe(0.12);
  });

  test("on stdout every row is printed again, at no cost", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(10));

    await interruptedAfter(5, [rows, "--concurrency", "1"]);
    const { stdout } = await market.batch([rows, "--concurrency", "1", "--resume"]);

    expect(sortedResults(stdout)).toHaveLength(10);
    expect(await market.charged()).toBe(0.1);
  });

  test("nothing is continued where nothing was interrupted, or other rows are given", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(10));
    await interruptedAfter(5, [rows]);
    market.write("rows.jsonl", itemsJsonl(11));

    expect(await market.batch([rows, "--resume"])).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining("There is no interrupted batch of these rows"),
    });
  });

  test("of two that begin at the same moment one is refused, and each row is charged once", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(10));
    market.answer(({ query }) => ({ json: { item: query.get("item") }, delayMs: 30 }));

    const outcomes = await Promise.all([
      market.batch([rows, "--concurrency", "1"]),
      market.batch([rows, "--concurrency", "1"]),
    ]);

    expect(outcomes.map(({ exitCode }) => exitCode).sort()).toEqual([0, 5]);
    expect(await market.charged()).toBe(0.1);
  });

  test("another key of the workspace continues it, a key of another workspace does not", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(10));
    const { request } = market.daemon;
    const other = await request("POST", "/v1/admin/workspaces", { name: "Other", slug: "other" });
    const otherKeys = `/v1/admin/workspaces/${other.body.workspaceId}/api-keys`;
    const otherKey = await request("POST", otherKeys, { label: "a" });
    const secondKey = await request("POST", "/v1/api-keys", { label: "second" });
    await interruptedAfter(5, [rows]);

    const elsewhere = await market.batch([rows, "--resume"], { env: { MKT_API_KEY: otherKey.body.key } });
    const here = await market.batch([rows, "--resume"], { env: { MKT_API_KEY: secondKey.body.key } });

    expect(elsewhere).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("There is no interrupted batch") });
    expect(here.exitCode).toBe(0);
    expect([...market.callsByItem().values()]).toEqual(Array(10).fill(1));
  });

  const asIs = (url: string) => url;
  const withSlash = (url: string) => `${url}/`;
  const asLocalhost = (url: string) => url.replace("127.0.0.1", "localhost");
  test.each<[address: string, begun: (url: string) => string, continued: (url: string) => string, isTold: boolean]>([
    ["a local daemon's name", asIs, asLocalhost, false],
    ["another name", withSlash, asLocalhost, true],
    ["a slash at its end", asLocalhost, (url) => withSlash(asLocalhost(url)), false],
  ])("it is the same one at another address of its service: %s", async (_, begun, continued, isTold) => {
    const rows = market.write("rows.jsonl", itemsJsonl(10));
    const at = (spell: (url: string) => string) => ({ env: { MKT_API_URL: spell(market.daemon.url) } });
    await interruptedAfter(5, [rows, "-o", market.path("out.jsonl")], at(begun));

    const again = await market.batch([rows, "-o", market.path("again.jsonl")], at(continued));
    const resumed = await market.batch([rows, "-o", market.path("out.jsonl"), "--resume"], at(continued));

    expect(again).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("Continue it with --resume") });
    expect(resumed.exitCode).toBe(0);
    expect(resumed.stderr.includes("The batch was begun at http://127.0.0.1")).toBe(isTold);
    expect([...market.callsByItem().values()]).toEqual(Array(10).fill(1));
  });

  test("rows that are added while it runs are not run: nobody saw their price", async () => {
    // More than is read ahead.
    const note = "x".repeat(20_000);
    const lines = Array.from({ length: 20 }, (_, at) => `${JSON.stringify({ item: `item${at}`, note })}\n`);
    const rows = market.write("rows.jsonl", lines.join(""));
    let isChanged = false;
    market.answer(({ query }) => {
      if (!isChanged) appendFileSync(rows, '{"item":"more"}\n');
      isChanged = true;
      return { json: { item: query.get("item") } };
    });

    const { exitCode, stdout, stderr } = await market.batch([rows, "--map", "item", "--concurrency", "1"]);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("rows.jsonl was changed") });
    expect(sortedResults(stdout)).toHaveLength(20);
    expect(market.callsByItem().has("more")).toBe(false);
  });

  test("it is not continued into a file that it did not write", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(10));
    await interruptedAfter(5, [rows, "-o", market.path("out.jsonl")]);
    const others = '{"index":0,"cost":0}\n{"mine":1}';
    market.write("others.jsonl", others);

    const { exitCode, stderr } = await market.batch([rows, "-o", market.path("others.jsonl"), "--resume"]);

    expect({ exitCode, stderr }).toEqual({ exitCode: 5, stderr: expect.stringContaining("exists already") });
    expect(read("others.jsonl")).toBe(others);
  });

  test("a reader that goes away ends it quietly, and stops the rest", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(200));
    const { PassThrough } = await import("node:stream");
    const stdout = new PassThrough();
    stdout.once("data", () => stdout.destroy(Object.assign(new Error("EPIPE"), { code: "EPIPE" })));

    const { exitCode, stderr } = await market.batch([rows, "--concurrency", "2"], { stdout });

    expect({ exitCode, stderr: stderr.split("\n").length }).toEqual({ exitCode: 0, stderr: 2 });
    expect(market.vendor.calls.length).toBeLessThan(20);
  });

  test("rows that are in the results are not sent again", async () => {
    const rows = market.write("rows.jsonl", itemsJsonl(10));
    const out = market.path("out.jsonl");
    await interruptedAfter(6, [rows, "-o", out, "--concurrency", "1"]);
    const written = jsonLines(read("out.jsonl")).length;

    const { stderr } = await market.batch([rows, "-o", out, "--concurrency", "1", "--resume", "--debug"]);

    expect(written).toBeGreaterThan(3);
    expect(stderr.split("POST ").filter((line) => line.includes("/v1/run:"))).toHaveLength(10 - written);
  });
});
