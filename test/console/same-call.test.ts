import { execFile } from "node:child_process";
import { readFileSync, symlinkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sameCalls } from "../../console/words/calls.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

/* The call that a screen shows for the command line, curl and TypeScript makes the run that the screen would make. */

const root = new URL("../..", import.meta.url).pathname;
const run = promisify(execFile);
const folder = tempDir();
let vendor: FakeProvider;
let daemon: TestDaemon;

beforeAll(async () => {
  vendor = await startFakeProvider();
  vendor.on("GET /now", { json: { ok: true } });
  daemon = await startTestDaemon({ manifests: { meteo: weatherManifest(vendor.url) } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** What a shell, quotes, JSON and a screen could each take for something else. */
const city = `Saint-Denis d'Oléron "north" $HOME \`id\` \\n 東京 \u202etxt.exe\u200b \u009b2J`;
const input = { queryParams: { city, days: 2 } };
const call = () =>
  sameCalls({ provider: "meteo", endpoint: "/now", input, maxCost: 0.01 }, daemon.url.replace(/\/$/, ""));

async function newestRun() {
  const { body } = await daemon.request("GET", "/v1/runs?limit=1");
  return (await daemon.request("GET", `/v1/runs/${body.items[0].runId}`)).body;
}
const environment = () => ({ ...process.env, MKT_API_KEY: daemon.key });
const expected = { provider: "meteo", endpoint: "/now", status: "COMPLETED", input, maxCost: { value: 0.01 } };

test("as mkt", async () => {
  // A real shell reads the line, as a person's would.
  const { stdout } = await run("sh", ["-c", `mkt() { printf '%s\\0' "$@"; }\n${call().mkt}`]);
  const words = stdout.split("\0").slice(0, -1);

  const { exitCode, stderr } = await runMkt(words, { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });

  expect(exitCode, stderr).toBe(0);
  expect(await newestRun()).toMatchObject(expected);
});

test("as curl", async () => {
  const { stdout } = await run("sh", ["-c", call().curl], { env: environment() });

  const { runId } = JSON.parse(stdout);
  expect(await newestRun()).toMatchObject({ runId, ...expected });
});

test("as TypeScript with mkt/client", async () => {
  const packageFolder = join(folder.path, "node_modules", "mkt");
  mkdirSync(packageFolder, { recursive: true });
  const { exports } = JSON.parse(readFileSync(join(root, "published-package.json"), "utf8"));
  writeFileSync(join(packageFolder, "package.json"), JSON.stringify({ name: "mkt", type: "module", exports }));
  symlinkSync(join(root, "dist"), join(packageFolder, "dist"));
  const program = join(folder.path, "call.mjs");
  writeFileSync(program, call().TypeScript);

  const { stdout } = await run(process.execPath, [program], { env: environment(), cwd: folder.path });

  const { runId } = await newestRun();
  expect(stdout).toContain(runId);
  expect(await newestRun()).toMatchObject(expected);
});

test("a call shows no character that turns or hides its text", () => {
  expect(Object.values(call()).join("\n")).not.toMatch(/[\u202e\u200b\u009b]/);
});

test("a call without input and limit has neither", () => {
  expect(sameCalls({ provider: "meteo", endpoint: "/plain", input: {} }, "http://127.0.0.1:1")).toMatchObject({
    mkt: "mkt run meteo/plain",
    curl: expect.stringContaining(`--json '{"provider":"meteo","endpoint":"/plain"}'`),
  });
});
