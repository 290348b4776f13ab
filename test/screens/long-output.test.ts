import { describe, expect, test } from "vitest";
import { aRun, startStandIn } from "../cli/stand-in-service.ts";
import { runMkt } from "../support/run-cli.ts";

const many = 20_000;
const rows = Array.from({ length: many }, (_, index) => ({ id: index, name: `row ${index}`, note: "some words" }));

describe("all of a long output, with --full", () => {
  test.each<[string, unknown, string]>([
    ["a table", rows, `${many - 1}  row ${many - 1}  some words`],
    ["JSON", rows.map((row) => ({ ...row, deep: { row } })), `"id": ${many - 1},`],
    ["a text", "a line\n".repeat(many) + "the last", "the last"],
  ])("%s is there to its end, and comes in time", async (_what, output, last) => {
    await using service = await startStandIn({ "GET /v1/runs/01RUN": { body: aRun({ output }) } });

    const { stdout } = await runMkt(["get-run", "01RUN", "--full"], { ...service, tty: true });

    expect(stdout).toContain(last);
    expect(stdout).not.toContain("…");
    expect(stdout.split("\n").length).toBeGreaterThan(many);
  });

  test("is as whole where it is read aloud", async () => {
    await using service = await startStandIn({ "GET /v1/runs/01RUN": { body: aRun({ output: rows }) } });

    const { stdout } = await runMkt(["get-run", "01RUN", "--full"], {
      tty: true,
      env: { ...service.env, INK_SCREEN_READER: "true" },
    });

    expect(stdout).toContain(`id: ${many - 1}\nname: row ${many - 1}\nnote: some words\n`);
  });

  test("says without the flag how to see all of it, and does not make the run again", async () => {
    await using service = await startStandIn({ "GET /v1/runs/01RUN": { body: aRun({ output: rows }) } });

    const { stdout } = await runMkt(["get-run", "01RUN"], { ...service, tty: true });

    expect(stdout).toContain(`… ${many - 20} more rows`);
    expect(stdout).toContain("See all of it: mkt get-run 01RUN --full");
    expect(stdout).toContain("Write it to a file: mkt get-run 01RUN -o <file>");
  });
});
