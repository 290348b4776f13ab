import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import type { BackupReport } from "../../shared/contract/admin.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

const PLAIN = { provider: "weather", endpoint: "/plain" };

async function runDaemonCommand(home: MktHome, ...args: string[]) {
  return await runMkt(args, {
    env: home.environment,
    mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: Date.now() }),
  });
}

async function runIdsOf({ request }: TestDaemon): Promise<Set<string>> {
  const ids = new Set<string>();
  let cursor = "";
  do {
    const { body } = await request("GET", `/v1/runs?status=COMPLETED&limit=100${cursor}`);
    for (const { runId } of body.items) ids.add(runId);
    cursor = typeof body.cursor === "string" ? `&cursor=${body.cursor}` : "";
  } while (cursor !== "");
  return ids;
}

test("a daemon started on a backup that was made under load serves every run acknowledged before it began", async () => {
  await using provider = await startFakeProvider();
  provider.on("GET /plain", { json: { well: true } });
  const manifests = { weather: weatherManifest(provider.url) };
  using home = mktHome();
  await using daemon = await startTestDaemon({ home, manifests });
  const acknowledged: string[] = [];
  const enough = new AbortController();
  const clients = Array.from({ length: 16 }, async () => {
    while (!enough.signal.aborted) {
      const { status, body } = await daemon.request("POST", "/v1/run", PLAIN);
      if (status === 200) acknowledged.push(body.runId);
    }
  });
  while (acknowledged.length < 50) await new Promise((resolve) => setTimeout(resolve, 10));

  const before = [...acknowledged];
  const answer = await daemon.request("POST", "/v1/admin/backup", { directory: join(home.path, "copy") });
  enough.abort();
  await Promise.all(clients);
  await using restored = await startTestDaemon({ home, manifests, config: { dataDir: join(home.path, "copy") } });
  // The owner's key is in no backup; the one that the first daemon made is still good.
  const asOwner = { ...restored, request: withKey(restored, daemon.key) };
  const runs = await runIdsOf(asOwner);
  const { body: wallet } = await asOwner.request("GET", "/v1/wallet/balance");

  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    directory: join(home.path, "copy"),
    segments: expect.any(Number),
    bytes: expect.any(Number),
    seq: expect.any(Number),
  });
  expect(before.filter((runId) => !runs.has(runId))).toEqual([]);
  expect(wallet.held.value).toBe(0);
});

function withKey({ request }: TestDaemon, key: string): TestDaemon["request"] {
  return async (method, path, body) => await request(method, path, body, { authorization: `Bearer ${key}` });
}

test("a backup is the operator's alone", async () => {
  using home = mktHome();
  await using daemon = await startTestDaemon({ home });
  const { body: other } = await daemon.request("POST", "/v1/api-keys", { label: "other" });
  const directory = join(home.path, "copy");

  const answer = await withKey(daemon, other.key)("POST", "/v1/admin/backup", { directory });

  expect(answer.status).toBe(404);
  expect(await readdir(home.path)).not.toContain("copy");
});

test("a folder that cannot take a backup is a 400 that says why", async () => {
  using home = mktHome();
  await using daemon = await startTestDaemon({ home });

  const inside = await daemon.request("POST", "/v1/admin/backup", { directory: join(home.dataDir, "copy") });
  const relative = await daemon.request("POST", "/v1/admin/backup", { directory: "copy" });

  expect(inside).toMatchObject({ status: 400, body: { message: expect.stringContaining("lies in the data folder") } });
  expect(relative).toMatchObject({ status: 400, body: { message: expect.stringContaining("absolute path") } });
});

test("mkt daemon backup asks the daemon that runs", async () => {
  using home = mktHome();
  await using daemon = await startTestDaemon({ home });
  await daemon.request("POST", "/v1/api-keys", { label: "kept" });
  const directory = join(home.path, "copy");

  const { exitCode, stdout, stderr } = await runDaemonCommand(home, "daemon", "backup", directory, "--json");

  expect(exitCode, stderr).toBe(0);
  const report: BackupReport = JSON.parse(stdout);
  expect(report).toMatchObject({ directory, segments: 1 });
  await using restored = await startTestDaemon({ home, config: { dataDir: directory } });
  const keys = await withKey(restored, daemon.key)("GET", "/v1/api-keys");
  expect(keys.body.items.map(({ label }: { label: string }) => label)).toContain("kept");
});

test("mkt daemon backup copies the folder of a stopped daemon, and neither keys nor secrets", async () => {
  using home = mktHome();
  const daemon = await startTestDaemon({ home });
  await daemon.daemon.close();
  const directory = join(home.path, "copy");

  const { exitCode, stderr } = await runDaemonCommand(home, "daemon", "backup", directory);

  expect(exitCode, stderr).toBe(0);
  expect((await readdir(directory)).sort()).toEqual(["FORMAT", "blobs", "docs", "log", "state"]);
  await using restored = await startTestDaemon({ home, config: { dataDir: directory } });
  expect((await withKey(restored, daemon.key)("GET", "/v1/auth/whoami")).status).toBe(200);
});

test("mkt daemon backup makes the folders that its folder lies in, for their owner alone", async () => {
  using home = mktHome();
  await using daemon = await startTestDaemon({ home });
  const running = join(home.path, "a", "b", "running");

  const whileItRuns = await runDaemonCommand(home, "daemon", "backup", running);
  await daemon.daemon.close();
  const stopped = join(home.path, "c", "d");
  const afterIt = await runDaemonCommand(home, "daemon", "backup", stopped);

  expect(whileItRuns.exitCode, whileItRuns.stderr).toBe(0);
  expect(afterIt.exitCode, afterIt.stderr).toBe(0);
  for (const made of [join(home.path, "a"), join(home.path, "a", "b"), running, join(home.path, "c"), stopped]) {
    expect((await stat(made)).mode & 0o777, made).toBe(0o700);
  }
});

test("a folder that lies in a file cannot be made, which is said; nothing of the way there stays", async () => {
  using home = mktHome();
  await using daemon = await startTestDaemon({ home });
  await writeFile(join(home.path, "file"), "");

  const inFile = await daemon.request("POST", "/v1/admin/backup", { directory: join(home.path, "file", "a", "b") });
  const tooLong = join(home.path, "outer", "inner", "x".repeat(300));
  const named = await daemon.request("POST", "/v1/admin/backup", { directory: tooLong });

  expect(inFile).toMatchObject({ status: 400, body: { message: expect.stringContaining("cannot be written") } });
  expect(named).toMatchObject({ status: 400, body: { message: expect.stringContaining("cannot be written") } });
  expect(await readdir(home.path)).not.toContain("outer");
});

test("mkt daemon backup says what is wrong with the folder that it was given", async () => {
  using home = mktHome();
  const daemon = await startTestDaemon({ home });
  await daemon.daemon.close();
  await mkdir(join(home.path, "full", "something"), { recursive: true });

  const outcome = await runDaemonCommand(home, "daemon", "backup", join(home.path, "full"));

  expect(outcome.exitCode).toBe(5);
  expect(outcome.stderr).toContain("is not empty");
});
