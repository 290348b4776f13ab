import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";

async function runDoctor(home: MktHome, ...args: string[]) {
  return await runMkt(["doctor", ...args], {
    env: home.environment,
    mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: Date.now() }),
  });
}

/** A home whose daemon ran, worked and stopped. */
async function usedHome(home: MktHome): Promise<void> {
  await using provider = await startFakeProvider();
  provider.on("GET /plain", { json: { large: "x".repeat(100_000) } });
  provider.on("GET /now", { status: 404 });
  scriptReport(provider, { polls: 2, result: { items: [1] } });
  await using daemon = await startTestDaemon({ home, manifests: { weather: weatherManifest(provider.url) } });
  const run = async (endpoint: string, input: object = {}) =>
    await daemon.request("POST", "/v1/run", { provider: "weather", endpoint, input, wait: 10 });
  await run("/plain");
  await run("/now", { queryParams: { city: "Lisbon" } });
  await run("/report", { body: { topic: "rain" } });
  await daemon.request("POST", "/v1/api-keys", { label: "other" });
}

test("after a daemon's work nothing is wrong: exit code 0, a table for people", async () => {
  using home = mktHome();
  await usedHome(home);

  const { exitCode, stdout, stderr } = await runDoctor(home);

  expect(stderr).toBe("");
  expect(exitCode, stdout).toBe(0);
  expect(stdout).toMatch(/^runs +3 runs +ok$/m);
  expect(stdout).toMatch(/^blobs +1 file +ok$/m);
  expect(stdout).toContain("Nothing is wrong.");
});

test("damage is exit code 65, and JSON that says what, where, and that no repair is safe", async () => {
  using home = mktHome();
  await usedHome(home);
  await (await startTestDaemon({ home })).daemon.close();
  const [first = ""] = (await readdir(join(home.dataDir, "log"))).filter((name) => name.endsWith(".ndjson"));
  const path = join(home.dataDir, "log", first);
  await writeFile(path, (await readFile(path, "utf8")).replace('"COMPLETED"', '"completed"'));

  const { exitCode, stdout } = await runDoctor(home, "--json");

  expect(exitCode).toBe(65);
  expect(JSON.parse(stdout)).toMatchObject({
    dataDir: home.dataDir,
    needsPerson: true,
    findings: expect.arrayContaining([
      expect.objectContaining({ check: "journal", kind: "damage", file: `log/${first}`, offset: expect.any(Number) }),
    ]),
  });
});

test("a repair copies everything first, and needs to be told where to", async () => {
  using home = mktHome();
  await usedHome(home);
  const [index = ""] = (await readdir(join(home.dataDir, "log"))).filter((name) => name.endsWith(".idx"));
  await writeFile(join(home.dataDir, "log", index), "");
  const copy = join(home.path, "copy");

  const without = await runDoctor(home, "--repair");
  const inside = await runDoctor(home, "--repair", "--copy", join(home.dataDir, "copy"));
  const repaired = await runDoctor(home, "--repair", "--copy", copy, "--json");

  expect(without.exitCode).toBe(2);
  expect(inside.exitCode).toBe(5);
  expect(repaired.exitCode, repaired.stderr).toBe(0);
  expect(JSON.parse(repaired.stdout)).toMatchObject({ copy, repaired: [expect.stringContaining(index)] });
  expect(await readFile(join(copy, "log", index), "utf8")).toBe("");
  expect((await runDoctor(home)).exitCode).toBe(0);
});

test("a folder on which a daemon runs is exit code 75, as for a second daemon", async () => {
  using home = mktHome();
  await using daemon = await startTestDaemon({ home });

  const { exitCode } = await runDoctor(home);

  expect(daemon.url).toContain("http");
  expect(exitCode).toBe(75);
});

test("a folder that no daemon was started on is exit code 78", async () => {
  using home = mktHome();

  const { exitCode } = await runDoctor(home, "--data-dir", join(home.path, "nothing"));

  expect(exitCode).toBe(78);
});
