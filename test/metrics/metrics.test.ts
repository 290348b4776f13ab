import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { rawHead, rawRequest } from "../support/raw-request.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

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

  test("are text that promtool accepts", async (context) => {
    if (spawnSync("promtool", ["--version"]).status !== 0) {
      context.skip("promtool is not installed");
    }
    await using daemon = await startTestDaemon({ environment });
    await daemon.request("GET", "/v1/runs");
    const text = await (await fetch(daemon.daemon.ready.metricsUrl ?? "")).text();

    const { status, stderr, stdout } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });

    expect(`${stdout}${stderr}`).toBe("");
    expect(status).toBe(0);
  });

  test("are listed in docs/metrics.md, and every query of the dashboard asks for one that is served", async () => {
    await using provider = await startFakeProvider();
    await using daemon = await startTestDaemon({ environment, manifests: { weather: weatherManifest(provider.url) } });
    await daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } });
    const text = await (await fetch(daemon.daemon.ready.metricsUrl ?? "")).text();
    const served = [...text.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name = ""]) => name);
    const own = served.filter((name) => name.startsWith("mkt_"));
    const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), "utf8");
    const dashboard = JSON.parse(read("deploy/grafana-dashboard.json"));
    const queries: string[] = dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    );

    expect(own.filter((name) => !read("metrics.md").includes(`\`${name}\``))).toEqual([]);
    expect(queries.length).toBeGreaterThan(8);
    for (const query of queries) {
      const names = (query.match(/\b(?:mkt|nodejs|process)_\w+/g) ?? []).map((name) =>
        name.replace(/_(?:bucket|sum|count)$/, ""),
      );
      expect(names.length, query).toBeGreaterThan(0);
      for (const name of names) expect(served, query).toContain(name);
    }
  });
});
