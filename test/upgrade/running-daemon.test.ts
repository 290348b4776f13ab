import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { mktProgram, type SpawnedDaemon, spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

const built = dirname(mktProgram);
/** Ten times what a change takes to be found. */
const SOON = { timeout: 60_000, interval: 100 };
const HANG_MS = 90_000;

/** The build of this checkout, installed into a folder of its own. */
function install(folder: string): string {
  const dist = join(folder, "dist");
  cpSync(built, dist, { recursive: true, filter: (path) => !path.endsWith(".map") });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  return join(dist, "mkt.js");
}

/** As npm does: the folder goes, and one with another build comes. Its parts have other names, and its threads do not fit. */
function replaceBuild(folder: string): void {
  const [dist, other] = [join(folder, "dist"), join(folder, "other")];
  cpSync(dist, other, { recursive: true });
  const scripts = readdirSync(other).filter((name) => name.endsWith(".js"));
  const reword = (text: string) => text.replaceAll(/\b([\w-]+)-([A-Z0-9]{8})(?=\.js\b)/g, "$1-NEW$2");
  for (const name of scripts) {
    const text = reword(readFileSync(join(other, name), "utf8"));
    rmSync(join(other, name));
    writeFileSync(join(other, reword(name)), text);
  }
  for (const name of readdirSync(other).filter((one) => one.endsWith(".cjs"))) {
    writeFileSync(join(other, name), reword(readFileSync(join(other, name), "utf8")));
  }
  for (const name of readdirSync(other).filter((one) => one.includes("-worker."))) {
    writeFileSync(join(other, name), 'throw new Error("a thread of another build");\n');
  }
  writeFileSync(join(other, "build.json"), JSON.stringify({ version: "0.2.0", build: "f".repeat(64) }));
  rmSync(join(other, "discovery"), { recursive: true });
  rmSync(join(other, "catalog", "nominatim.json"));
  writeFileSync(join(other, "catalog", "newer.json"), JSON.stringify({ mkt: 9, provider: "newer", sorcery: true }));
  rmSync(dist, { recursive: true });
  renameSync(other, dist);
}

function largeProvider(count: number): object {
  const endpoints = Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      `/glaciers/${number}`,
      { request: { method: "GET" }, description: `Glacier number ${number} of the survey`, price: { type: "FREE" } },
    ]),
  );
  return { http: { baseUrl: "https://example.com", auth: { type: "none" } }, endpoints };
}

describe("a daemon whose program is replaced by another build while it runs", () => {
  const folder = tempDir("mkt-upgrade-");
  const home = mktHome();
  let provider: FakeProvider;
  let daemon: SpawnedDaemon;
  let program: string;

  beforeAll(async () => {
    program = install(folder.path);
    provider = await startFakeProvider();
    provider.on("GET /plain", { json: { well: true } });
    const manifests = { observatory: weatherManifest(provider.url) };
    daemon = await spawnDaemon({ home, program, manifests, bundled: true });
    replaceBuild(folder.path);
  }, 60_000);

  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    home[Symbol.dispose]();
    folder[Symbol.dispose]();
  });

  test("calls a provider for the first time", async () => {
    const answer = await daemon.request("POST", "/v1/run", { provider: "observatory", endpoint: "/plain" });

    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED", output: { well: true } } });
  });

  test("runs an endpoint of the bundled provider for the first time", async () => {
    const input = { queryParams: { latitude: 38.72, longitude: -9.14 } };

    const answer = await daemon.request("POST", "/v1/run", { provider: "atlas", endpoint: "/sun", input });

    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED" } });
  });

  test("runs what works for a while, to its end", { timeout: HANG_MS }, async () => {
    const started = await daemon.request("POST", "/v1/run", {
      provider: "atlas",
      endpoint: "/reports/time-zones",
      input: { body: { fromYear: 2022, toYear: 2024 } },
    });
    const ended = await daemon.request("GET", `/v1/runs/${started.body.runId}?wait=30`);

    expect(ended.body).toMatchObject({ status: "COMPLETED" });
  });

  test("checks an input by its schema for the first time", async () => {
    const input = { queryParams: { latitude: "north", longitude: 2 } };

    const answer = await daemon.request("POST", "/v1/run", { provider: "atlas", endpoint: "/sun", input });

    expect(answer.status).toBe(400);
  });

  test(
    "takes up a large provider file, in threads of its own build, and finds what is in it",
    { timeout: HANG_MS },
    async () => {
      home.writeCatalog("trusted", { "ice-survey": largeProvider(2_500) });
      const find = async () => {
        const { body } = await daemon.request("POST", "/v1/discover", {
          q: "glacier of the survey",
          provider: ["ice-survey"],
          minScore: 0,
          limit: 1,
        });
        return body.results?.map((one: { provider: string }) => one.provider);
      };

      await expect.poll(find, SOON).toEqual(["ice-survey"]);
      expect(daemon.stderr()).not.toContain("a thread of another build");
    },
  );

  test("takes up a file in YAML for the first time", { timeout: HANG_MS }, async () => {
    const yaml = [
      "mkt: 1",
      "provider: tide-gauge",
      `http: { baseUrl: "${provider.url}", allowPrivateNetwork: true, auth: { type: none } }`,
      "endpoints:",
      "  /plain: { request: { method: GET }, description: Tides, price: { type: FREE } }",
    ];
    mkdirSync(join(home.path, "trusted"), { recursive: true });
    writeFileSync(join(home.path, "trusted", "tide-gauge.yaml"), `${yaml.join("\n")}\n`);

    const run = async () => {
      const { body } = await daemon.request("POST", "/v1/run", { provider: "tide-gauge", endpoint: "/plain" });
      return body.status;
    };

    await expect.poll(run, SOON).toBe("COMPLETED");
  });

  test("goes on with the catalog that it came with", async () => {
    const [kept, newer] = await Promise.all(
      ["nominatim", "newer"].map((slug) => daemon.request("GET", `/public/v1/providers/${slug}/endpoints`)),
    );

    expect([kept?.status, newer?.status]).toEqual([200, 404]);
    expect(daemon.stderr()).not.toContain("sorcery");
  });

  test("exports what was run", async () => {
    const answer = await fetch(`${daemon.url}/v1/runs/export?format=csv`, {
      headers: { authorization: `Bearer ${daemon.key}` },
    });

    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("observatory");
  });

  test(
    "says in /health, daemon status and doctor that it is to be restarted, and once in its log",
    { timeout: HANG_MS },
    async () => {
      const health = await daemon.request("GET", "/health");
      const status = await spawnMkt(["daemon", "status", "--json"], { home, program });
      const doctor = await spawnMkt(["doctor", "--json"], { home, program });
      const told = daemon.stderr().match(/another build was installed/g);

      expect(health.body).toMatchObject({ status: "ok", replacedBy: "0.2.0" });
      expect(JSON.parse(status.stdout)).toMatchObject({ running: true, replacedBy: "0.2.0" });
      expect(doctor.stdout).toContain("it runs the earlier build until it is restarted");
      expect(told).toHaveLength(1);
    },
  );

  test("stops in order, and says nothing of the sort before a replacement", async () => {
    expect(await daemon.kill()).toMatchObject({ code: 0 });
    expect(existsSync(join(folder.path, "dist", "daemon.cjs"))).toBe(true);

    await using other = await spawnDaemon();
    expect((await other.request("GET", "/health")).body).not.toHaveProperty("replacedBy");
  });
});
