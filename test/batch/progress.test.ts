import { expect, test } from "vitest";
import { gate } from "../support/gate.ts";
import { TextSink } from "../support/run-cli.ts";
import { itemsCsv, openBatchMarket } from "./batch-market.ts";

/* oxlint-disable no-control-regex -- the line of the spinner is written over by control characters */

/** What a person sees while a batch runs. docs/command-line.md, "Batches". */

const PATIENCE = { timeout: 20_000 };

test("while a batch runs, a terminal's stderr says how many rows are done and what they cost; another one says nothing", async () => {
  await using market = await openBatchMarket();
  const last = gate();
  market.answer(({ query }) => {
    const item = query.get("item");
    return { json: { item }, ...(item === "item2" && { after: last.opened }) };
  });
  const rows = market.write("rows.csv", itemsCsv(3));
  const start = (who: string, isTerminal: boolean, ...words: readonly string[]) => {
    const [stdout, stderr] = [new TextSink(), new TextSink()];
    const all = [rows, "--map", "item", "--concurrency", "1", "--yes", "--tag", `who=${who}`, ...words];
    const tty = { stdin: false, stdout: !isTerminal, stderr: isTerminal };
    return { stdout, stderr, ended: market.batch(all, { stdout, stderr, tty }) };
  };

  const others = [start("log", false), start("quiet", true, "--quiet")];
  await expect.poll(() => market.callsByItem().get("item2"), PATIENCE).toBe(2);
  const terminal = start("terminal", true);
  // The others have been at their last row for longer, and would have said it too.
  await expect.poll(() => terminal.stderr.text, PATIENCE).toMatch(/\r\u001b\[2K[⠀-⣿] 2 of 3 rows · \$0\.02 [\d.]+ m?s/);
  last.open();

  for (const { ended } of [terminal, ...others]) expect((await ended).exitCode).toBe(0);
  expect(terminal.stderr.text.split("\r\u001b[2K").at(-1)).toMatch(/^[^\r]*3 of 3 rows delivered.* · \$0\.03 .*\n$/);
  expect(terminal.stdout.text).not.toContain("of 3 rows");
  for (const { stderr } of others) expect(stderr.text).not.toMatch(/of 3 rows ·|\r/);
});
