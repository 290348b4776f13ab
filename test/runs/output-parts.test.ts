import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageValue } from "../../cli/mcp/page-value.ts";
import { takeOutputPart } from "../../shared/output-part.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { anyText } from "../support/any-text.ts";

const days = Array.from({ length: 500 }, (_, day) => ({ day }));
let upstream: FakeProvider;
let daemon: TestDaemon;
let runId: string;
beforeAll(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /days", { json: { place: "Lisbon", days } });
  daemon = await startTestDaemon({
    manifests: {
      almanac: {
        displayName: "Almanac",
        http: { baseUrl: upstream.url, allowPrivateNetwork: true },
        endpoints: {
          "/days": {
            description: "Days.",
            request: { method: "GET", path: "/days" },
            price: { type: "PER_CALL", amount: 0.001 },
          },
        },
      },
    },
  });
  runId = (await daemon.request("POST", "/v1/run", { provider: "almanac", endpoint: "/days" })).body.runId;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const read = async (query: string) => await daemon.request("GET", `/v1/runs/${runId}${query}`);

describe("a large output", () => {
  test("is read in parts, each with its place and the offset of the next", async () => {
    const { body } = await read("?offset=100&limit=2");

    expect(body.output).toEqual({ place: "Lisbon", days: [{ day: 100 }, { day: 101 }] });
    expect(body.part).toEqual({ of: "output.days", unit: "items", offset: 100, count: 2, total: 500, next: 102 });
    expect(body).toMatchObject({ runId, status: "COMPLETED", cost: { value: 0.001 } });
  });

  test("ends where its last part says so, and beyond it there is nothing", async () => {
    expect((await read("?offset=499")).body.part).toEqual({
      of: "output.days",
      unit: "items",
      offset: 499,
      count: 1,
      total: 500,
    });
    expect((await read("?offset=9000")).body).toMatchObject({ output: { days: [] }, part: { count: 0, total: 500 } });
  });

  test("is whole where no part is asked for", async () => {
    const { body } = await read("");

    expect(body.output.days).toHaveLength(500);
    expect(body.part).toBeUndefined();
  });

  test.each(["?offset=-1", "?limit=0", "?offset=1.5", "?limit=x"])("is not read with %s", async (query) => {
    expect((await read(query)).status).toBe(400);
  });

  test("goes part by part into files of mkt get-run, which says how it goes on", async () => {
    using folder = tempDir();
    const file = join(folder.path, "part.json");
    const env = { MKT_API_KEY: daemon.key, MKT_API_URL: daemon.url };

    const { exitCode, stderr } = await runMkt(["get-run", runId, "--offset", "498", "--limit", "1", "-o", file], {
      env,
    });

    expect(exitCode).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ place: "Lisbon", days: [{ day: 498 }] });
    expect(stderr).toContain("This is 499 to 499 of the 500 items of output.days; what comes next: --offset 499.");
  });
});

describe("the parts of any output", () => {
  const outputs = fc.oneof(
    fc.array(fc.jsonValue()),
    anyText(),
    fc.record({
      a: fc.array(fc.integer()),
      b: fc.string({ unit: "grapheme" }),
      c: fc.record({ d: fc.array(fc.string()) }),
    }),
  );

  test("make up the whole, each item once", () => {
    fc.assert(
      fc.property(outputs, fc.integer({ min: 1, max: 7 }), (output, limit) => {
        let joined: unknown[] | string | undefined;
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const taken = takeOutputPart(output, { offset, limit });
          if (taken === undefined) return;
          const { part } = taken;
          const value = valueAt(taken.output, part.of);
          joined =
            typeof value === "string"
              ? `${(joined as string | undefined) ?? ""}${value}`
              : [...((joined ?? []) as unknown[]), ...value];
          expect(part.count).toBe(value.length);
          offset = part.next;
        }
        const whole = takeOutputPart(output, {});
        expect(joined).toEqual(whole === undefined ? undefined : valueAt(output, whole.part.of));
      }),
    );
  });

  test("are those that an agent gets over MCP, where these are not too long for it", () => {
    fc.assert(
      fc.property(outputs, fc.nat(5), fc.integer({ min: 1, max: 5 }), (output, offset, limit) => {
        const taken = takeOutputPart(output, { offset, limit });
        fc.pre(taken !== undefined && offset + limit > 0);
        expect(pageValue(output, { offset, limit }, 1_000_000).value).toEqual(taken?.output);
      }),
    );
  });
});

function valueAt(output: unknown, of: string): unknown[] | string {
  const names = of.split(".").slice(1);
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], output) as unknown[] | string;
}
