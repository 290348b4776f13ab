import { describe, expect, test } from "vitest";
import { aRun, startStandIn } from "./stand-in-service.ts";
import { runMkt } from "../support/run-cli.ts";

const id = (index: number) => `01JV8ZABCDEFGHJKMNPQRSTV${String(index).padStart(2, "0")}`;
const runs = (count: number, endpoint = "/time/transitions") =>
  Array.from({ length: count }, (_, index) => ({ ...aRun(), runId: id(index), provider: "atlas", endpoint }));

async function listed(items: readonly object[], columns: number, ...words: string[]): Promise<string> {
  await using service = await startStandIn({ "GET /v1/runs": { body: { items, cursor: null } } });
  const { stdout, exitCode } = await runMkt(["runs", ...words], { ...service, tty: true, columns });
  expect(exitCode).toBe(0);
  return stdout;
}

describe("a table on a narrow screen", () => {
  test("leaves out the column that matters least, names it, and cuts no cell", async () => {
    const shown = await listed(runs(3, "/time/zones/of/the/world"), 80);

    expect(shown).not.toContain("…");
    expect(shown).toContain("atlas/time/zones/of/the/world");
    expect(shown).toContain("Left out: created");
    expect(shown).toContain("To see all: --full");
    for (const line of shown.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  test("has every column with --full, and where there is room", async () => {
    for (const shown of [await listed(runs(3), 60, "--full"), await listed(runs(3), 120)]) {
      expect(shown).toMatch(/^run +status +endpoint +charged +created/);
      expect(shown).not.toContain("Left out");
    }
  });

  test("cuts one name that is longer than most rather than leave a column out for all", async () => {
    const shown = await listed([...runs(9, "/sun"), ...runs(1, `/${"long/".repeat(20)}`)], 100);

    expect(shown).toMatch(/^run +status +endpoint +charged +created/);
    expect(shown.match(/…/g)).toHaveLength(1);
  });

  test.each([20, 30, 40, 60, 80, 120])("shows every id whole in %i columns", async (columns) => {
    const shown = await listed(runs(5), columns);

    for (let index = 0; index < 5; index++) expect(shown).toContain(id(index));
  });
});

describe("a list", () => {
  test("asks for 30, and names the commands for all of it and for more", async () => {
    await using service = await startStandIn({ "GET /v1/runs": { body: { items: runs(30), cursor: "next" } } });

    const { stderr } = await runMkt(["runs", "--cursor", "first"], service);

    expect(service.requests.map(({ query }) => query)).toEqual([{ limit: "30", cursor: "first" }]);
    expect(stderr).toBe("All of them: mkt runs --all\nMore: mkt runs --cursor next\n");
  });

  test("takes a limit above what the service has in a page, page after page", async () => {
    await using service = await startStandIn({
      "GET /v1/runs": ({ query }) => ({ body: { items: runs(Number(query["limit"])), cursor: "next" } }),
    });

    const { stdout } = await runMkt(["runs", "--limit", "250", "--json"], service);

    expect(service.requests.map(({ query }) => query["limit"])).toEqual(["100", "100", "50"]);
    const page = JSON.parse(stdout) as { items: unknown[]; cursor: string };
    expect([page.items.length, page.cursor]).toEqual([250, "next"]);
  });
});
