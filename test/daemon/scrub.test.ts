import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runMkt } from "../support/run-cli.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A folder with a sealed segment, of a daemon that has stopped. */
async function usedHome(): Promise<{ home: MktHome; segment: string }> {
  const home = mktHome();
  await using daemon = await spawnDaemon({ home, bundled: true });
  for (let run = 0; run < 3; run += 1) {
    await daemon.request("POST", "/v1/run", { provider: "atlas", endpoint: "/time/now", input: {} });
  }
  await daemon.kill();
  const [name = ""] = readdirSync(join(home.dataDir, "log")).filter((one) => one.endsWith(".ndjson"));
  return { home, segment: join(home.dataDir, "log", name) };
}

test("damage that nobody reads is found while the daemon runs: its log, its health and `mkt doctor` tell", async () => {
  const { home, segment } = await usedHome();
  using _ = home;
  const bytes = readFileSync(segment);
  const at = bytes.indexOf('"run.done"');
  writeFileSync(segment, Buffer.concat([bytes.subarray(0, at), Buffer.from('"run.dome"'), bytes.subarray(at + 10)]));

  await using daemon = await spawnDaemon({ home });
  const health = async () => (await daemon.request("GET", "/health")).body;
  await expect.poll(health, { timeout: 20_000 }).toMatchObject({ status: "ok", damagedPlaces: 1 });
  const doctor = await spawnMkt(["doctor"], { home });
  const json = await spawnMkt(["doctor", "--json"], { home });
  const status = await runMkt(["daemon", "status"], { env: home.environment, tty: true });
  const statusJson = await spawnMkt(["daemon", "status", "--json"], { home });

  const file = segment.slice(home.dataDir.length + 1);
  expect(daemon.stderr()).toContain(file);
  expect(daemon.stderr()).toContain("stored data is damaged");
  expect(doctor.code).not.toBe(0);
  expect(doctor.stdout.replaceAll(/\s+/g, " ")).toContain(`${file}, byte `);
  const checks = (JSON.parse(json.stdout) as { checks: { check: string; state: string }[] }).checks;
  expect(checks.filter(({ state }) => state === "found").map(({ check }) => check)).toEqual(
    expect.arrayContaining(["service", "data"]),
  );
  expect(status.stdout).toMatch(/damaged +1 place on the disk/);
  expect(status.stdout).toContain("mkt doctor");
  expect(JSON.parse(statusJson.stdout)).toMatchObject({ running: true, damagedPlaces: 1 });
});

test("a folder in which all is well is looked at without a word, and not at all where that is set", async () => {
  const { home } = await usedHome();
  using _ = home;
  const looked = () => {
    const [name] = readdirSync(join(home.dataDir, "docs")).filter((one) => one === "scrub.json");
    return name === undefined ? undefined : JSON.parse(readFileSync(join(home.dataDir, "docs", name), "utf8")).endedAt;
  };

  const off = await spawnDaemon({ home, environment: { MKT_SCRUB_BYTES_PER_SECOND: "0" } });
  await off.request("GET", "/v1/auth/whoami");
  await off.kill();
  const lookedWhileOff = looked();
  await using on = await spawnDaemon({ home });
  await expect.poll(looked, { timeout: 20_000 }).toBeDefined();

  expect(off.stderr()).not.toContain("scrub");
  expect(lookedWhileOff).toBeUndefined();
  expect((await on.request("GET", "/health")).body).not.toHaveProperty("damagedPlaces");
  expect(on.stderr()).not.toMatch(/"level":(?:40|50)/);
});
