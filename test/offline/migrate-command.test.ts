import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import { openScene } from "../cli/every-command/scene.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES, PASSWORD } from "../support/postgres.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { fill } from "./filled-folder.ts";

const HANG_MS = 180_000;

/** What a workspace sees, in lists; amounts and ids included. Runs are asked for apart, since some of them are going on. */
const LISTS = [
  "/v1/api-keys",
  "/v1/schedules",
  "/v1/webhooks",
  "/v1/resources",
  "/v1/controls/workspace/budgets",
  "/v1/controls/workspace/run-caps",
  "/v1/controls/approval-rules",
  "/v1/approvals",
  "/v1/admin/secrets",
  "/v1/admin/settings",
  "/v1/connections",
];

async function listsOf({ request }: TestDaemon): Promise<Record<string, unknown>> {
  const entries = [];
  for (const path of LISTS) {
    const { status, body } = await request("GET", path);
    entries.push([path, { status, body: withoutUse(body) }]);
  }
  return Object.fromEntries(entries);
}

/** Newest first, page by page. */
async function idsOfRuns({ request }: TestDaemon): Promise<string[]> {
  const ids: string[] = [];
  let next = "";
  do {
    const { body } = await request("GET", `/v1/runs?limit=2${next}`);
    ids.push(...body.items.map(({ runId }: { runId: string }) => runId));
    next = body.cursor === undefined ? "" : `&cursor=${body.cursor}`;
  } while (next !== "");
  return ids;
}

/** When something was used or seen last changes by looking. */
function withoutUse(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) => (/^last(Used|Seen)/.test(name) ? undefined : member)),
  );
}

async function migrate(environment: Readonly<Record<string, string>>, to: string, { tty = false } = {}) {
  return await runMkt(["daemon", "migrate", "--to", to, ...(tty ? [] : ["--json"])], {
    env: environment,
    tty,
    mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: 0 }),
  });
}

describe.skipIf(!hasPostgres)(`mkt daemon migrate (${NEEDS_POSTGRES})`, () => {
  test(
    "moves what a workspace has into a database and back: lists, runs in their order, open runs and the owner's key",
    { timeout: HANG_MS },
    async () => {
      await using database = await emptyDatabase();
      await using scene = await openScene();
      const { home } = scene;
      const onFiles = { MKT_DATA_DIR: home.dataDir, MKT_CONFIG_DIR: home.configDir };
      const onDatabase = { ...onFiles, MKT_DATABASE_URL: database.url };
      const ids = await scene.wordsOf(
        "{done} {done} {broken} {done} {going} {waiting} {budget} {cap} {rule} {webhook} {schedule} {key} {resource} {secret} {account}",
      );
      const [done = "", , , , going = ""] = ids;
      const first = await scene.daemon.request("GET", "/v1/runs?limit=2");
      const { cursor } = first.body;
      expect(cursor).toEqual(expect.any(String));
      const runs = await idsOfRuns(scene.daemon);
      const before = await listsOf(scene.daemon);
      const empty = LISTS.filter((path) => (before[path] as { body: { items?: unknown[] } }).body.items?.length === 0);
      expect(empty).toEqual([]);
      await scene.daemon.daemon.close();

      const into = await migrate(onDatabase, "postgres");
      expect(into.exitCode, into.stderr).toBe(0);
      expect(into.stdout + into.stderr).not.toContain(PASSWORD);
      const sums = JSON.parse(into.stdout);
      expect(sums.documents).toBeGreaterThan(3);
      const owned = await database.query("select run_id from run_owners");
      expect(owned.map(({ run_id }) => run_id)).toContain(going);

      // The folder says so, and a second move is refused.
      const again = await migrate(onDatabase, "postgres");
      expect([again.exitCode, again.stderr]).toEqual([78, expect.stringContaining("were moved to postgres://")]);
      await expect(startTestDaemon({ home })).rejects.toThrow(/were moved to postgres:/);

      {
        await using daemon = await startTestDaemon({
          home,
          bundled: true,
          environment: { MKT_DATABASE_URL: database.url },
        });
        // The keys of the files are good here. A cursor of the files is refused: lines have other numbers here.
        expect(await listsOf(daemon)).toEqual(before);
        expect((await daemon.request("GET", `/v1/runs?limit=2&cursor=${cursor}`)).status).toBe(400);
        expect(await idsOfRuns(daemon)).toEqual(runs);
        expect((await daemon.request("GET", `/v1/runs/${done}`)).body).toMatchObject({ output: { ok: true } });
        // A run that was open has a daemon again, which stops it and gives its hold back.
        await daemon.request("POST", `/v1/runs/${going}/stop`);
        await vi.waitUntil(
          async () => (await daemon.request("GET", `/v1/runs/${going}`)).body.completedAt !== undefined,
          { timeout: 60_000, interval: 200 },
        );
        const meanwhile = await migrate(onDatabase, join(home.path, "too-early"));
        expect([meanwhile.exitCode, meanwhile.stderr]).toEqual([
          75,
          expect.stringContaining("Stop every daemon first"),
        ]);
      }

      using other = mktHome();
      const back = join(other.path, "data");
      const out = await migrate({ ...onDatabase, MKT_CONFIG_DIR: home.configDir }, back);
      expect(out.exitCode, out.stderr).toBe(0);
      const returned = JSON.parse(out.stdout);
      expect(returned.lines).toBeGreaterThan(sums.lines);
      expect(returned.outputs).toBeGreaterThanOrEqual(sums.outputs);
      {
        const there = { ...home, dataDir: back, environment: { ...home.environment, MKT_DATA_DIR: back } };
        await using started = await startTestDaemon({ home: there, bundled: true });
        expect(started.key).toBe(scene.daemon.key);
        const daemon = started;
        expect((await listsOf(daemon))["/v1/schedules"]).toEqual(before["/v1/schedules"]);
        expect((await daemon.request("GET", `/v1/runs?limit=2&cursor=${cursor}`)).status).toBe(400);
        expect(await idsOfRuns(daemon)).toEqual(runs);
      }
    },
  );

  test("shows on a terminal how far it is, and then what is the same on both sides", { timeout: HANG_MS }, async () => {
    await using database = await emptyDatabase();
    using home = mktHome();
    await fill(home.dataDir, 1_000);
    const environment = { MKT_DATA_DIR: home.dataDir, MKT_CONFIG_DIR: home.configDir, MKT_DATABASE_URL: database.url };

    const { exitCode, stderr, stdout } = await migrate(environment, "postgres", { tty: true });

    expect(exitCode, stderr).toBe(0);
    const shown = [...stderr.matchAll(/Moving: (\d+) of (\d+) lines/g)].map(([, lines, of]) => [
      Number(lines),
      Number(of),
    ]);
    expect(shown.length).toBeGreaterThan(0);
    for (const [lines = 0, of = 0] of shown) expect(lines).toBeLessThan(of);
    expect(shown).toEqual([...shown].sort(([one = 0], [other = 0]) => one - other));
    expect(stdout).toMatch(/\b990\b/);
    expect(stdout + stderr).not.toContain(PASSWORD);
  });

  test("says which setting is missing", async () => {
    const outcome = await migrate({}, "postgres");
    expect([outcome.exitCode, outcome.stderr]).toEqual([78, expect.stringContaining("MKT_DATABASE_URL is not set")]);
  });
});
