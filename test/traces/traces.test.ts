import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { askWith } from "../support/request.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: Span[];
  readonly services: Set<unknown>;
}

/** Takes OTLP over HTTP as JSON, as collectors do. */
async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  const services = new Set<unknown>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.method !== "POST" || request.url !== "/v1/traces") return void response.writeHead(404).end();
      for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans) {
        services.add(resource.attributes.find(({ key }: { key: string }) => key === "service.name")?.value.stringValue);
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    services,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider();
  provider.on("GET /now", { json: { temperature: 18 } });
});
afterEach(async () => await provider[Symbol.asyncDispose]());

function manifests(http: object = {}) {
  const weather = weatherManifest(provider.url) as { readonly http: object };
  return { weather: { ...weather, http: { ...weather.http, ...http } } };
}

const now = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
const attribute = (span: Span | undefined, key: string) =>
  Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0];

describe("a daemon that knows a collector", () => {
  test("sends a span for each run, with its gates, wait, calls and commits below it", async () => {
    await using collector = await startCollector();
    const daemon = await startTestDaemon({
      manifests: manifests(),
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` },
    });
    const { body } = await daemon.request("POST", "/v1/run", now);
    await daemon[Symbol.asyncDispose]();

    const run = collector.spans.find((span) => attribute(span, "mkt.run.id") === body.runId);
    const parts = collector.spans.filter((span) => span.parentSpanId === run?.spanId);

    expect(run?.name).toBe("run weather/now");
    expect(attribute(run, "mkt.run.status")).toBe("COMPLETED");
    expect(Number(attribute(run, "mkt.charged.microdollars"))).toBe(Math.round(body.cost.value * 1_000_000));
    expect(parts.map(({ name }) => name).sort()).toEqual(["call weather", "commit", "commit", "gates", "wait"]);
    expect(
      Number(
        attribute(
          parts.find(({ name }) => name === "call weather"),
          "http.response.status_code",
        ),
      ),
    ).toBe(200);
    for (const part of parts) {
      expect(part.traceId).toBe(run?.traceId);
      expect(BigInt(part.startTimeUnixNano) >= BigInt(run?.startTimeUnixNano ?? 0)).toBe(true);
      expect(BigInt(part.endTimeUnixNano) >= BigInt(part.startTimeUnixNano)).toBe(true);
    }
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(collector.spans.length);
    expect([...collector.services]).toEqual(["mkt"]);
    expect(JSON.stringify(collector.spans)).not.toMatch(/Lisbon|temperature/);
  });

  test("marks the run and the call that failed", async () => {
    provider.on("GET /now", { status: 500, json: {} });
    await using collector = await startCollector();
    const daemon = await startTestDaemon({
      manifests: manifests({ retry: { attempts: 1 } }),
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: "market" },
    });
    await daemon.request("POST", "/v1/run", now);
    await daemon[Symbol.asyncDispose]();

    const failed = collector.spans.filter(({ status }) => status?.code === 2).map(({ name }) => name);

    expect(failed.sort()).toEqual(["call weather", "run weather/now"]);
    expect([...collector.services]).toEqual(["market"]);
  });

  test.each([
    ["tells a provider whose file allows it of the trace", { traceparent: true }, 1],
    ["tells no other provider of it", {}, 0],
  ])("%s", async (_, http, told) => {
    await using collector = await startCollector();
    const daemon = await startTestDaemon({
      manifests: manifests(http),
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
    await daemon.request("POST", "/v1/run", now);
    await daemon[Symbol.asyncDispose]();

    const [call] = provider.calls.filter(({ path }) => path.startsWith("/now"));
    const run = collector.spans.find(({ name }) => name === "run weather/now");

    const expected = told === 1 ? `00-${run?.traceId}-${run?.spanId}-01` : undefined;
    expect(call?.headers["traceparent"]).toBe(expected);
  });

  test("serves runs, and ends in time, when the collector is away", async () => {
    await using daemon = await startTestDaemon({
      manifests: manifests(),
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" },
    });

    expect((await daemon.request("POST", "/v1/run", now)).status).toBe(200);
  });
});

describe.skipIf(!hasPostgres)(
  `the trace of a run that was taken over (${NEEDS_POSTGRES})`,
  { timeout: 120_000 },
  () => {
    test("is sent once, whole, by the daemon that ended the run", async () => {
      await using collector = await startCollector();
      await using database = await emptyDatabase();
      scriptReport(provider, { polls: 1_000_000 });
      const environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        MKT_DATABASE_URL: database.url,
        MKT_DATABASE_KEY: "ab".repeat(32),
      };
      const start = async () => await startTestDaemon({ home: mktHome(), manifests: manifests(), environment });
      const first = await start();
      const second = await start();
      const report = { provider: "weather", endpoint: "/report", input: { topic: "rain", limit: 1 } };
      const { runId } = (await first.request("POST", "/v1/run", report)).body;
      await expect.poll(() => provider.count("POST /reports"), { timeout: 15_000 }).toBe(1);
      await first[Symbol.asyncDispose]();
      const leftAtMs = Date.now();
      const ofRun = () => collector.spans.filter((span) => attribute(span, "mkt.run.id") === runId);
      expect(ofRun()).toEqual([]);

      scriptReport(provider, { polls: 0 });
      const ended = await askWith(second.url, first.key)("GET", `/v1/runs/${runId}?wait=25`);
      await second[Symbol.asyncDispose]();

      expect(ended.body.status).toBe("COMPLETED");
      const runs = ofRun();
      expect(runs.map(({ name }) => name)).toEqual(["run weather/report"]);
      const [run] = runs;
      expect(attribute(run, "mkt.run.status")).toBe("COMPLETED");
      expect(Number(run?.startTimeUnixNano) / 1e6).toBeLessThan(leftAtMs);
      expect(Number(run?.endTimeUnixNano) / 1e6).toBeGreaterThanOrEqual(leftAtMs);
      const parts = collector.spans.filter(({ parentSpanId }) => parentSpanId === run?.spanId);
      // The gates were passed in the daemon that is gone, which knew no end of the run to tell.
      const names = parts.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["wait", "call weather", "commit"]));
      expect(names).not.toContain("gates");
      expect(new Set(parts.map(({ traceId }) => traceId))).toEqual(new Set([run?.traceId]));
    });
  },
);

test("a daemon without a collector tells no provider of a trace", async () => {
  await using daemon = await startTestDaemon({ manifests: manifests({ traceparent: true }) });
  await daemon.request("POST", "/v1/run", now);

  expect(provider.calls.map(({ headers }) => headers["traceparent"])).toEqual([undefined]);
});

test("an address of a collector that is none is refused", async () => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: "collector" };

  await expect(startTestDaemon({ environment })).rejects.toThrow(/takes the address of a collector/);
});
