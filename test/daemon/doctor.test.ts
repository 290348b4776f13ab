import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import type { DoctorReport } from "../../cli/doctor/report.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";

async function runDoctor(home: MktHome, ...args: string[]) {
  return await runMkt(["doctor", ...args], {
    // Other daemons of this machine may have the usual ports.
    env: { ...home.environment, MKT_PORT: "0", MKT_REGISTRY_PORT: "0" },
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

function dataOf(stdout: string): { state: string; saw: string; findings: { message: string; next: string }[] } {
  const { checks, findings } = JSON.parse(stdout) as DoctorReport;
  const { state = "", saw = "" } = checks.find(({ check }) => check === "data") ?? {};
  return { state, saw, findings: findings.filter(({ check }) => check === "data") };
}

test("after a daemon's work nothing is wrong: exit code 0, and what was looked at", async () => {
  using home = mktHome();
  await usedHome(home);

  const { exitCode, stdout, stderr } = await runDoctor(home);

  expect(stderr).toBe("");
  expect(exitCode, stdout).toBe(0);
  expect(dataOf(stdout)).toMatchObject({ state: "ok", saw: expect.stringMatching(/3 runs.*1 file/) });
});

test("damage is exit code 1, and what, where, and that no repair is safe", async () => {
  using home = mktHome();
  await usedHome(home);
  await (await startTestDaemon({ home })).daemon.close();
  const [first = ""] = (await readdir(join(home.dataDir, "log"))).filter((name) => name.endsWith(".ndjson"));
  const path = join(home.dataDir, "log", first);
  await writeFile(path, (await readFile(path, "utf8")).replace('"COMPLETED"', '"completed"'));

  const { exitCode, stdout } = await runDoctor(home, "--json");

  expect(exitCode).toBe(1);
  const { state, findings } = dataOf(stdout);
  expect(state).toBe("found");
  expect(findings.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(new RegExp(`^journal, log/${first}, byte \\d+: `)),
  );
  expect(new Set(findings.map(({ next }) => next))).toEqual(new Set(["mkt doctor --data-dir <backup>"]));
});

test("a repair copies everything first, and needs to be told where to", async () => {
  using home = mktHome();
  await usedHome(home);
  const [index = ""] = (await readdir(join(home.dataDir, "log"))).filter((name) => name.endsWith(".idx"));
  await writeFile(join(home.dataDir, "log", index), "");
  const copy = join(home.path, "copy");

  const without = await runDoctor(home, "--repair");
  const inside = await runDoctor(home, "--repair", "--copy", join(home.dataDir, "copy"));
  const found = await runDoctor(home);
  const repaired = await runDoctor(home, "--repair", "--copy", copy, "--json");

  expect(without.exitCode).toBe(2);
  expect(inside.exitCode).toBe(5);
  expect(found.exitCode).toBe(1);
  expect(dataOf(found.stdout).findings.map(({ next }) => next)).toContain(
    "mkt doctor --repair --copy ./before-the-repair",
  );
  expect(repaired.exitCode, repaired.stderr).toBe(0);
  expect(JSON.parse(repaired.stdout)).toMatchObject({ copy, repaired: [expect.stringContaining(index)] });
  expect(await readFile(join(copy, "log", index), "utf8")).toBe("");
  expect((await runDoctor(home)).exitCode).toBe(0);
});

test("a folder on which a daemon runs is looked at when it is stopped, and that is nothing wrong", async () => {
  using home = mktHome();
  await using daemon = await startTestDaemon({ home });

  const { exitCode, stdout } = await runDoctor(home);
  const repair = await runDoctor(home, "--repair", "--copy", join(home.path, "copy"));

  expect(daemon.url).toContain("http");
  expect(exitCode, stdout).toBe(0);
  expect(dataOf(stdout)).toMatchObject({
    state: "skipped",
    saw: expect.stringContaining("mkt daemon stop && mkt doctor"),
  });
  expect(repair.exitCode).toBe(75);
});

test("a folder that is named and that no daemon was started on is a finding", async () => {
  using home = mktHome();

  const { exitCode, stdout } = await runDoctor(home, "--data-dir", join(home.path, "nothing"));

  expect(exitCode).toBe(1);
  expect(dataOf(stdout).findings).toMatchObject([
    { message: expect.stringContaining("no daemon was ever started on it") },
  ]);
});
