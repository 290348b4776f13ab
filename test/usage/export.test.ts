import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

const RUNS = 130;

let upstream: FakeProvider;
let daemon: TestDaemon;
beforeAll(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /now", (call) => (call.query.get("city") === "Nowhere" ? { status: 404 } : { json: {} }));
  upstream.on("GET /plain", { reset: true });
  daemon = await startTestDaemon({ manifests: { nimbus: weatherManifest(upstream.url) } });
  const now = (city: string, tags?: object) =>
    daemon.request("POST", "/v1/run", { provider: "nimbus", endpoint: "/now", input: { city }, tags });
  await Promise.all(Array.from({ length: RUNS - 3 }, () => now("Rome")));
  await now("Nowhere", { set: "odd" });
  await now("Oslo", { set: "odd", note: '=cmd|"/c calc"' });
  await daemon.request("POST", "/v1/run", { provider: "nimbus", endpoint: "/plain", tags: { set: "odd" } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const read = async (query: string) => await daemon.request("GET", `/v1/runs/export?${query}`);

describe("GET /v1/runs/export", () => {
  test("as ndjson is every run as lists show it, newest first, however many there are", async () => {
    const pages = [];
    for (let cursor = ""; ;) {
      const { body } = await daemon.request("GET", `/v1/runs?limit=100${cursor}`);
      pages.push(...body.items);
      if (body.cursor === undefined) break;
      cursor = `&cursor=${body.cursor}`;
    }

    const answer = await read("format=ndjson");

    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
    expect(answer.text.endsWith("\n")).toBe(true);
    expect(
      answer.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(pages);
    expect(pages).toHaveLength(RUNS);
  });

  test("as csv is a header row and a row a run, with exact amounts and no formulas", async () => {
    const answer = await read("format=csv&tag=set:odd");

    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="runs.csv"');
    const [header, failed, oslo, nowhere, end] = answer.text.split("\r\n");
    expect(header).toBe(
      "runId,status,provider,endpoint,keyLabel,caller,createdAt,startedAt,completedAt,httpStatus,resultCount,billedUnits,currency,charged,cost,overrun,tags,error,answeredFrom,saved,damaged",
    );
    expect(failed).toMatch(/^[0-9A-Z]{26},FAILED,nimbus,\/plain,owner,API_KEY#\w+,.*,,,,USD,0,0,,/);
    expect(oslo).toMatch(/,200,,,USD,0\.01,0\.01,,"\{""set"":""odd"",""note"":""=cmd\|\\""\/c calc\\""""\}",,,,$/);
    expect(nowhere).toMatch(/,404,,,USD,0,/);
    expect(end).toBe("");
  });

  test.each([
    ["status=FAILED", 1],
    ["status=FAILED,TIMED_OUT&endpoint=plain", 1],
    ["provider=nobody", 0],
    ["tag=set:odd", 3],
    ["until=2020-01-01T00:00:00Z", 0],
    ["keyLabel=owner", RUNS],
  ])("takes the filters of the list: %s", async (query, runs) => {
    const { status, text } = await read(`format=csv&${query}`);

    expect(status).toBe(200);
    expect(text.trimEnd().split("\r\n")).toHaveLength(runs + 1);
  });

  test.each(["", "format=xlsx", "format=csv&status=completed", "format=csv&tag=odd", "format=csv&since=today"])(
    "?%s is refused with JSON",
    async (query) => {
      expect(await read(query)).toMatchObject({ status: 400, body: { code: 400 } });
    },
  );

  test("is no run's id to any other method", async () => {
    const answer = await daemon.request("POST", "/v1/runs/export", {});

    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toContain("GET");
  });
});
