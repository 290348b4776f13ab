import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ServiceMetrics } from "../../daemon/metrics/service-metrics.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import { operations } from "../../shared/contract/index.ts";
import { runStatuses } from "../../shared/run-status.ts";
import { AT, runDone } from "../storage/lines.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { rawHead, rawRequest } from "../support/raw-request.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";

const environment = { MKT_METRICS_LISTEN: "0" };

/** The value of each series, by its name with labels as it is written. */
async function readSeries(daemon: TestDaemon): Promise<Map<string, number>> {
  const answer = await fetch(daemon.daemon.ready.metricsUrl ?? "");
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  return seriesIn(await answer.text());
}

function seriesIn(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

const IDLE = { open: 0, idle: 0, waiting: 0, isAway: false, leaseLeftMs: 0, isLeading: false };

/** What only a daemon on a database serves. */
const OF_DATABASE = /\bmkt_(?:database_|lease_|leading|daemons_|runs_taken_over)/;

function onDatabase(url: string): Readonly<Record<string, string>> {
  return { ...environment, MKT_DATABASE_URL: url, MKT_DATABASE_KEY: "ab".repeat(32) };
}

async function namesServed(daemon: TestDaemon): Promise<string[]> {
  const text = await (await fetch(daemon.daemon.ready.metricsUrl ?? "")).text();
  return [...text.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name = ""]) => name);
}

function readDocument(path: string): string {
  return readFileSync(new URL(`../../docs/${path}`, import.meta.url), "utf8");
}

function isListed(name: string): boolean {
  return readDocument("metrics.md").includes(`\`${name}\``);
}

function dashboardQueries(): string[] {
  const { panels } = JSON.parse(readDocument("deploy/grafana-dashboard.json")) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

function expectServed(query: string, served: readonly string[]): void {
  const names = query.match(/\b(?:mkt|nodejs|process)_\w+/g) ?? [];
  expect(names.length, query).toBeGreaterThan(0);
  for (const name of names) expect(served, query).toContain(name.replace(/_(?:bucket|sum|count)$/, ""));
}

describe("the metrics of a daemon", () => {
  test("are served nowhere unless asked for", async () => {
    await using daemon = await startTestDaemon();

    expect(daemon.daemon.ready.metricsUrl).toBeUndefined();
    expect((await fetch(`${daemon.url}/metrics`)).status).toBe(404);
  });

  test("count runs, requests to providers, and what was charged exactly as the ledger has it", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: { temperature: 18 } });
    const manifests = { weather: weatherManifest(provider.url) };
    await using daemon = await startTestDaemon({ environment, manifests });
    const before = await daemon.client.getWalletBalance();
    for (let nth = 0; nth < 3; nth += 1) {
      await daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } });
    }
    await daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/absent" });
    const after = await daemon.client.getWalletBalance();

    const series = await readSeries(daemon);

    expect(series.get('mkt_runs_ended_total{status="COMPLETED"}')).toBe(3);
    expect(series.get("mkt_runs_accepted_total")).toBe(3);
    expect(series.get('mkt_provider_request_seconds_count{answer="2xx"}')).toBe(3);
    expect(series.get("mkt_run_seconds_count")).toBe(3);
    expect(series.get('mkt_runs_open{state="running"}')).toBe(0);
    const spent = Math.round((before.balance.value - after.balance.value) * 1_000_000);
    expect(spent).toBeGreaterThan(0);
    expect(series.get("mkt_charged_microdollars_total")).toBe(spent);
    expect(series.get('mkt_http_answers_total{operation="startRun",status="4xx"}')).toBe(1);
    expect(series.get("mkt_commit_lines_sum")).toBeGreaterThanOrEqual(6);
  });

  test("say how many runs wait and run, and go on with those of an earlier process", async () => {
    using home = mktHome();
    await using provider = await startFakeProvider();
    provider.on("POST /reports", { json: { id: "r1" } });
    provider.on("GET /reports/r1", { json: { status: "working" } });
    const options = { home, environment, manifests: { weather: weatherManifest(provider.url) } };
    const report = { provider: "weather", endpoint: "/report", input: { topic: "rain" } };
    const open = (daemon: TestDaemon) => readSeries(daemon).then((all) => all.get('mkt_runs_open{state="running"}'));
    const [before] = await (async () => {
      await using daemon = await startTestDaemon(options);
      await daemon.request("POST", "/v1/run", report);
      return [await open(daemon)];
    })();
    await using daemon = await startTestDaemon(options);
    const taken = await open(daemon);
    provider.on("GET /reports/r1", { json: { status: "done" } });

    expect([before, taken]).toEqual([1, 1]);
    await expect.poll(async () => await open(daemon)).toBe(0);
  });

  test("have no label that grows with endpoints, runs, keys or inputs, and fewer than 2,000 series in all", async () => {
    await using provider = await startFakeProvider();
    await using daemon = await startTestDaemon({ environment, manifests: { weather: weatherManifest(provider.url) } });
    const ask = async (label: string) => {
      await daemon.request("POST", "/v1/api-keys", { label, scopes: ["runs:read"] });
      await daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/now", input: { city: label } });
      await daemon.request("GET", `/v1/runs/${label}`);
      await daemon.request("GET", `/no/such/path/${label}`);
    };
    await ask("one");
    const before = await readSeries(daemon);

    for (const label of ["two", "three", "four"]) await ask(label);
    const after = await readSeries(daemon);

    expect([...after.keys()].filter((name) => name.startsWith("mkt_") && !before.has(name))).toEqual([]);
    expect(JSON.stringify([...after.keys()])).not.toMatch(/weather|Lisbon|one/);
    expect(after.size).toBeLessThan(500);
  });

  test("are for collectors and not for pages in a browser, and nothing else is served there", async () => {
    await using daemon = await startTestDaemon({ environment });
    const url = new URL(daemon.daemon.ready.metricsUrl ?? "");
    const status = async (head: string, ...lines: string[]) =>
      (await rawRequest(Number(url.port), rawHead(head, ...lines, "Connection: close"))).status;
    const host = `Host: ${url.host}`;

    expect(await status("GET /metrics HTTP/1.1", "Host: rebound.example")).toBe(403);
    expect(await status("GET /metrics HTTP/1.1", host, "Origin: https://page.example")).toBe(403);
    expect(await status("GET /v1/runs HTTP/1.1", host)).toBe(404);
    expect(await status("POST /metrics HTTP/1.1", host, "Content-Length: 0")).toBe(405);
    expect(await status("GET /metrics?x=1 HTTP/1.1", host)).toBe(200);
  });

  test.each([
    ["0.0.0.0:9464", /other machines without a key/],
    ["somewhere", /takes a port or an address with a port/],
    ["127.0.0.1:70000", /takes a port or an address with a port/],
  ])("refuse to be served at %s, and say why", async (address, words) => {
    await expect(startTestDaemon({ environment: { MKT_METRICS_LISTEN: address } })).rejects.toThrow(words);
  });

  test("are text that promtool accepts, of a daemon on files and of one on a database", async (context) => {
    if (spawnSync("promtool", ["--version"]).status !== 0) {
      context.skip("promtool is not installed");
    }
    const metrics = new ServiceMetrics("0.1.0");
    metrics.readAlso({ endpoints: () => 1, hasRoom: () => true, damagedPlaces: () => 0 });
    metrics.watchDatabase(() => IDLE);
    await using daemon = await startTestDaemon({ environment });
    await daemon.request("GET", "/v1/runs");
    const text = await (await fetch(daemon.daemon.ready.metricsUrl ?? "")).text();

    for (const input of [text, await metrics.text()]) {
      const { status, stderr, stdout } = spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" });

      expect(`${stdout}${stderr}`).toBe("");
      expect(status).toBe(0);
    }
  });

  test("stay below 2,000 series when every operation was answered and every run ended in every way", async () => {
    const metrics = new ServiceMetrics("0.1.0");
    const answers = [200, 301, 404, 500, undefined].map((httpStatus) => ({ at: AT, durationMs: 1, httpStatus }));
    const ends = runStatuses.map((status) => runDone(status, { status, attempts: answers as RunRecord["attempts"] }));
    metrics.readAlso({ endpoints: () => 10_000, hasRoom: () => true, damagedPlaces: () => 0 });
    metrics.watchDatabase(() => IDLE);

    metrics.committed(ends, 1);
    for (const operation of Object.keys(operations)) {
      for (const status of [200, 301, 404, 500]) metrics.answered({ operation, status, ms: 1 });
    }
    const series = seriesIn(await metrics.text());

    expect(series.get('mkt_http_answers_total{operation="startRun",status="5xx"}')).toBe(1);
    expect(series.size).toBeLessThan(2_000);
  });

  test("are listed in docs/metrics.md, and every query of the dashboard asks for one that is served", async () => {
    await using provider = await startFakeProvider();
    await using daemon = await startTestDaemon({ environment, manifests: { weather: weatherManifest(provider.url) } });
    await daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } });

    const served = await namesServed(daemon);

    expect(served.filter((name) => name.startsWith("mkt_") && !isListed(name))).toEqual([]);
    expect(served.filter((name) => OF_DATABASE.test(name))).toEqual([]);
    const queries = dashboardQueries().filter((query) => !OF_DATABASE.test(query));
    expect(queries.length).toBeGreaterThan(8);
    for (const query of queries) expectServed(query, served);
  });
});

describe.skipIf(!hasPostgres)(`the metrics of daemons on a database (${NEEDS_POSTGRES})`, () => {
  test("are listed and asked for too, and every metric of docs/metrics.md is served", async () => {
    await using database = await emptyDatabase();
    await using daemon = await startTestDaemon({ environment: onDatabase(database.url) });

    const served = await namesServed(daemon);
    const series = await readSeries(daemon);

    const listed = [...readDocument("metrics.md").matchAll(/^\| `(mkt_\w+)`/gm)].map(([, name = ""]) => name);
    expect(served.filter((name) => name.startsWith("mkt_")).sort()).toEqual(listed.sort());
    for (const query of dashboardQueries()) expectServed(query, served);
    expect(series.get("mkt_database_away")).toBe(0);
    expect(series.get("mkt_leading")).toBe(1);
    expect(series.get("mkt_lease_left_seconds")).toBeGreaterThan(0);
    expect(series.get("mkt_lease_left_seconds")).toBeLessThanOrEqual(10);
    expect(series.get("mkt_database_connections_open")).toBeGreaterThan(0);
  });

  test("add up over daemons to what the ledger says, also where one ends what another began", async () => {
    await using database = await emptyDatabase();
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: { temperature: 18 } });
    scriptReport(provider, { polls: 1_000_000 });
    const manifests = { nimbus: weatherManifest(provider.url) };
    const start = async () =>
      await startTestDaemon({ home: mktHome(), environment: onDatabase(database.url), manifests });
    const first = await start();
    await using second = await start();
    const balance = async () => (await askWith(second.url, first.key)("GET", "/v1/wallet/balance")).body.balance.value;
    const before = await balance();
    const now = { provider: "nimbus", endpoint: "/now", input: { city: "Lisbon" } };
    for (const { url } of [first, second, second]) await askWith(url, first.key)("POST", "/v1/run", now);
    const report = { provider: "nimbus", endpoint: "/report", input: { topic: "rain", limit: 1 } };
    const { runId } = (await first.request("POST", "/v1/run", report)).body;
    await expect.poll(() => provider.count("POST /reports"), { timeout: 20_000 }).toBe(1);
    // What a collector has of a daemon that is gone.
    const ofFirst = await readSeries(first);
    await first[Symbol.asyncDispose]();

    scriptReport(provider, { polls: 0, result: { items: [1] } });
    await askWith(second.url, first.key)("GET", `/v1/runs/${runId}?wait=25`);

    const sum = async (name: string) => (ofFirst.get(name) ?? 0) + ((await readSeries(second)).get(name) ?? 0);
    const spent = Math.round((before - (await balance())) * 1_000_000);
    expect(spent).toBeGreaterThan(0);
    expect(await sum("mkt_charged_microdollars_total")).toBe(spent);
    expect(await sum('mkt_runs_ended_total{status="COMPLETED"}')).toBe(4);
    expect(await sum("mkt_runs_accepted_total")).toBe(4);
    const [lines] = await database.query(
      "select count(*)::int as run from lines where body::json ->> 't' = 'run.done'",
    );
    expect(lines).toEqual({ run: await sum("mkt_run_seconds_count") });
  });

  test("say which daemon drives a run, who leads, and what was taken over", async () => {
    await using database = await emptyDatabase();
    await using provider = await startFakeProvider();
    scriptReport(provider, { polls: 1_000_000 });
    const options = { environment: onDatabase(database.url), manifests: { nimbus: weatherManifest(provider.url) } };
    const first = await startTestDaemon(options);
    await using second = await startTestDaemon(options);
    await first.request("POST", "/v1/run", {
      provider: "nimbus",
      endpoint: "/report",
      input: { topic: "rain", limit: 1 },
    });
    const facts = async (daemon: TestDaemon) => {
      const series = await readSeries(daemon);
      const names = ['mkt_runs_open{state="running"}', "mkt_leading", "mkt_runs_taken_over_total"];
      return names.map((name) => series.get(name));
    };
    await expect.poll(() => facts(first)).toEqual([1, 1, 0]);
    const before = await facts(second);

    await first[Symbol.asyncDispose]();

    expect(before).toEqual([0, 0, 0]);
    await expect.poll(() => facts(second), { timeout: 20_000 }).toEqual([1, 1, 1]);
    scriptReport(provider, { polls: 0 });
    await expect.poll(() => facts(second), { timeout: 20_000 }).toEqual([0, 1, 1]);
  });
});
