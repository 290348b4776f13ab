import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { encodeCursor } from "../../daemon/http/cursors/cursor.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { askWith } from "../support/request.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { copyFolder } from "../support/copy-folder.ts";

const fixtures = new URL("./fixtures/", import.meta.url).pathname;

/** What today's daemon says beside, or of now: keys were used since, budgets have a new window each month. */
const ofNow = new Set([
  "lastUsedAt",
  "spentAmount",
  "availableAmount",
  "windowStart",
  "windowEnd",
  "alert",
  "credential",
  // Sealed since, with a key of the folder.
  "activityId",
]);

describe.each(["before-snapshots", "sealed-journal"])("a data folder of an earlier version, %s,", (name) => {
  test("reads the same: runs, bills, wallet, keys and controls", async () => {
    using home = homeWith(name);
    await using daemon = await startTestDaemon({ home, bundled: true });
    const ask = askWith(daemon.url, readFileSync(join(fixtures, name, "owner-key"), "utf8").trim());
    const then = answersOf(name);

    for (const [path, answer] of then) {
      const { status, body } = await ask("GET", path);
      expect({ path, status, body }).toMatchObject({ path, status: 200, body: lasting(answer) });
    }

    expect(then.length).toBeGreaterThanOrEqual(8);
  });

  test("takes the cursors that it handed out, and none beyond", async () => {
    using home = homeWith(name);
    await using daemon = await startTestDaemon({ home, bundled: true });
    const ask = askWith(daemon.url, readFileSync(join(fixtures, name, "owner-key"), "utf8").trim());
    const { body } = await ask("GET", "/v1/runs");

    const oldest = await ask("GET", `/v1/runs?cursor=${encodeCursor("runs", 1)}`);
    const movements = await ask("GET", `/v1/wallet/activities?cursor=${encodeCursor("wallet-activities", "3-1")}`);
    const beyond = await ask("GET", `/v1/runs?cursor=${encodeCursor("runs", 1_000)}`);

    expect(body.items.length).toBeGreaterThan(0);
    expect({ status: oldest.status, items: oldest.body.items }).toEqual({ status: 200, items: [] });
    expect(movements.status).toBe(200);
    expect(beyond.status).toBe(400);
  });

  test("keeps the runs of a key that is renamed: sealed by that version, they are found by the new label", async () => {
    using home = homeWith(name);
    const key = readFileSync(join(fixtures, name, "owner-key"), "utf8").trim();
    await using daemon = await startTestDaemon({ home, bundled: true });
    const ask = askWith(daemon.url, key);
    const idsOf = async (query: string) =>
      (await ask("GET", `/v1/runs?limit=50${query}`)).body.items.map((run: { runId: string }) => run.runId);
    const before = await idsOf("&keyLabel=owner");

    const { status } = await ask("PATCH", "/v1/api-keys/owner", { label: "boss" });

    expect(status).toBe(200);
    expect(before.length).toBeGreaterThan(0);
    expect(await idsOf("&keyLabel=boss")).toEqual(before);
    expect(await idsOf("&keyLabel=owner")).toEqual([]);
  });

  test("goes on from where it was: a run is paid from the old balance, and the next start has all of it", async () => {
    using home = homeWith(name);
    const key = readFileSync(join(fixtures, name, "owner-key"), "utf8").trim();
    const input = { queryParams: { latitude: 38.72, longitude: -9.14 } };
    let runId: string;
    {
      await using daemon = await startTestDaemon({ home, bundled: true });
      const { status, body } = await askWith(daemon.url, key)("POST", "/v1/run", {
        provider: "atlas",
        endpoint: "/sun",
        input,
      });
      expect({ status, run: body.status }).toEqual({ status: 200, run: "COMPLETED" });
      runId = body.runId;
    }

    await using daemon = await startTestDaemon({ home, bundled: true });
    const ask = askWith(daemon.url, key);
    const listed = (await ask("GET", "/v1/runs")).body.items.map((run: { runId: string }) => run.runId);
    const before = (new Map(answersOf(name)).get("/v1/runs") as { items: { runId: string }[] }).items;

    expect(listed).toEqual([runId, ...before.map((run) => run.runId)]);
    expect((await ask("GET", "/v1/wallet/balance")).body.balance.value).toBe(14.998);
  });
});

test("runs of an earlier version keep the controls that they met, and an Idempotency-Key its answer with alerts", async () => {
  using home = homeWith("met-apart");
  // Keys are kept for a time.
  const clock = { now: () => Date.parse("2026-11-22T15:00:00.000Z") };
  await using daemon = await startTestDaemon({ home, bundled: true, clock });
  const ask = askWith(daemon.url, readFileSync(join(fixtures, "met-apart", "owner-key"), "utf8").trim());
  const input = { queryParams: { latitude: 38.72, longitude: -9.14 } };
  const posted = JSON.parse(readFileSync(join(fixtures, "met-apart", "posted.json"), "utf8")) as { status: string }[];

  for (const [path, answer] of answersOf("met-apart")) {
    const { status, body } = await ask("GET", path);
    expect({ path, status, body }).toEqual({ path, status: 200, body: answer });
  }
  // One that is BLOCKED is no answer to keep: asked again, it is tried again.
  for (const [index, answer] of posted.slice(0, 2).entries()) {
    const key = { "idempotency-key": `met-apart-${index}` };
    const { body } = await ask("POST", "/v1/run", { provider: "atlas", endpoint: "/sun", input }, key);
    expect(body).toEqual(answer);
  }

  expect(posted.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED", "BLOCKED"]);
  expect((await ask("GET", "/v1/runs")).body.items).toHaveLength(3);
});

test("runs of an earlier version keep their large inputs; the next one is written once, and all are read whole", async () => {
  using home = homeWith("whole-inputs");
  const key = readFileSync(join(fixtures, "whole-inputs", "owner-key"), "utf8").trim();
  const answers = answersOf("whole-inputs");
  const readAll = async (url: string) => {
    for (const [path, answer] of answers.filter(([name]) => name.startsWith("/v1/runs/"))) {
      expect(await askWith(url, key)("GET", path)).toMatchObject({ status: 200, body: answer });
    }
  };
  const [, before] = answers[0] ?? [];
  const { input, output } = before as { input: { body: object }; output: object };
  const formatOf = () => readFileSync(join(home.dataDir, "FORMAT"), "utf8").trim();
  expect(formatOf()).toBe('{"format":1}');
  let runId: string;
  {
    await using daemon = await startTestDaemon({ home, bundled: true });
    await readAll(daemon.url);
    const request = { provider: "atlas", endpoint: "/text/segments", input };
    const { status, body } = await askWith(daemon.url, key)("POST", "/v1/run", request);
    expect({ status, output: body.output }).toEqual({ status: 200, output });
    runId = body.runId;
  }

  await using daemon = await startTestDaemon({ home, bundled: true });
  await readAll(daemon.url);
  const { body } = await askWith(daemon.url, key)("GET", `/v1/runs/${runId}`);
  const log = readdirSync(join(home.dataDir, "log")).filter((name) => name.endsWith(".ndjson"));
  const lines = log.flatMap((name) =>
    readFileSync(join(home.dataDir, "log", name), "utf8")
      .trimEnd()
      .split("\n"),
  );
  const last = lines.find((line) => line.includes('"t":"run.done"') && line.includes(runId));

  expect(body).toMatchObject({ runId, input, output });
  expect(JSON.parse(last ?? "")).toMatchObject({ v: 2, rec: { input: {} } });
  expect(formatOf()).toBe('{"format":2}');
});

test("settings of an earlier version are read without what is a setting no more", async () => {
  using home = homeWith("sealed-journal");
  const settings = { health: { probeMinutes: 9, outageRuns: 3 } };
  writeFileSync(join(home.dataDir, "docs", "settings.json"), JSON.stringify(settings), { mode: 0o600 });
  await using daemon = await startTestDaemon({ home });
  const key = readFileSync(join(fixtures, "sealed-journal", "owner-key"), "utf8").trim();

  const { body } = await askWith(daemon.url, key)("GET", "/v1/admin/settings");

  expect(body.health).toMatchObject({ outageRuns: 3, freshMinutes: 15 });
  expect(body.health).not.toHaveProperty("probeMinutes");
});

test.each(["sealed-journal", "whole-inputs"])(
  "a data folder of an earlier version, %s, is found in order by mkt doctor",
  async (name) => {
    using home = homeWith(name);

    const { stdout, stderr } = await spawnMkt(["doctor", "--data-dir", home.dataDir, "--json"], { home });
    const { checks, findings } = JSON.parse(stdout);

    expect({ findings, stderr }).toEqual({ findings: [], stderr: "" });
    expect(checks.find(({ check }: { check: string }) => check === "data")).toMatchObject({ state: "ok" });
  },
);

test("a data folder of a later version stops the start, and the words name file, format and what to do", async () => {
  using home = homeWith("sealed-journal");
  writeFileSync(join(home.dataDir, "FORMAT"), '{"format":3}\n');

  const { code, stderr } = await spawnMkt(["daemon", "--port", "0", "--registry-port", "0"], { home });

  expect(code).toBe(65);
  expect(stderr).toContain(join(home.dataDir, "FORMAT"));
  expect(stderr).toContain('{"format":3}');
  expect(stderr).toContain("Use the version of mkt that wrote it.");
});

function homeWith(name: string): MktHome {
  const home = mktHome();
  copyFolder(join(fixtures, name, "data"), home.dataDir);
  makePrivate(home.dataDir);
  return home;
}

/** As the daemon had left it: what git keeps has no permissions. */
function makePrivate(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makePrivate(path);
    else chmodSync(path, 0o600);
  }
}

/** What the daemon of then answered, by path; routes that it had not yet are left out. */
function answersOf(name: string): [path: string, answer: unknown][] {
  const answers = JSON.parse(readFileSync(join(fixtures, name, "answers.json"), "utf8")) as Record<string, unknown>;
  return Object.entries(answers).filter(
    ([, answer]) => !(typeof answer === "object" && answer !== null && "code" in answer),
  );
}

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !ofNow.has(name))
      .map(([name, member]) => [name, lasting(member)]),
  );
}
