import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { DatabaseUrl } from "../../daemon/config/database-settings.ts";
import { examine } from "../../daemon/doctor/doctor.ts";
import { migrateToDatabase, migrateToFolder } from "../../daemon/offline/migrate/migrate-data.ts";
import { readMoved } from "../../daemon/storage/moved-folder.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { mktProgram } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { fill } from "./filled-folder.ts";

const HANG_MS = 180_000;
const RUNS = 1_500;

/** Kills the move as soon as it has written something, and before it has written all. */
async function killMove(
  to: string,
  environment: Readonly<Record<string, string>>,
  hasBegun: () => Promise<boolean>,
): Promise<void> {
  const move = spawn(process.execPath, [mktProgram, "daemon", "migrate", "--to", to], {
    env: environment,
    stdio: "ignore",
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => move.once("exit", (_code, signal) => resolve(signal)));
  while (move.exitCode === null && !(await hasBegun())) await pause(2);
  move.kill("SIGKILL");
  expect(await ended).toBe("SIGKILL");
}

describe.skipIf(!hasPostgres)(`a move that is killed (${NEEDS_POSTGRES})`, () => {
  test(
    "starts no daemon on either side until it is complete, and goes on; in both directions",
    { timeout: HANG_MS },
    async () => {
      await using database = await emptyDatabase();
      using home = mktHome();
      const { dataDir, configDir } = home;
      await fill(dataDir, RUNS);
      const environment = { ...home.environment, MKT_DATABASE_URL: database.url };
      const settings = { url: new DatabaseUrl(database.url) };
      const onDatabase = { home: mktHome(), environment: { MKT_DATABASE_URL: database.url } };
      const move = { configDir, database: settings, onProgress() {} };
      const linesThere = async () => {
        const [row] = await database.query("select n from head").catch(() => []);
        return Number(row?.["n"] ?? 0);
      };

      await killMove("postgres", environment, async () => (await linesThere()) > 0);
      await expect(startTestDaemon({ home })).rejects.toThrow(/Go on with mkt daemon migrate --to postgres/);
      await expect(startTestDaemon(onDatabase)).rejects.toThrow(/starts no daemon: .* is being moved into it/);
      // The row of the killed move is among the daemons until its lease is over.
      await database.query("delete from daemons");
      const into = await migrateToDatabase({ ...move, dataDir });
      expect(into.runs).toBe(RUNS - RUNS / 100);
      await expect(startTestDaemon({ home })).rejects.toThrow(/were moved to postgres:/);

      const back = join(home.path, "back");
      await killMove(back, environment, async () => (await readMoved(back).catch(() => undefined)) !== undefined);
      const there = { ...home, dataDir: back, environment: { ...home.environment, MKT_DATA_DIR: back } };
      await expect(startTestDaemon(onDatabase)).rejects.toThrow(/starts no daemon: it is being moved into/);
      await expect(startTestDaemon({ home: there })).rejects.toThrow(/not all is there. Go on with/);
      await database.query("delete from daemons");
      const out = await migrateToFolder({ ...move, dataDir: back });
      expect(out).toMatchObject({ lines: into.lines, content: into.content, balances: into.balances });

      // The database was left behind: a daemon there would call for the same open runs once more.
      await expect(startTestDaemon(onDatabase)).rejects.toThrow(/were moved into .* go on there/);
      await expect(migrateToFolder({ ...move, dataDir: join(home.path, "another") })).rejects.toThrow("go on there");
      expect((await examine({ dataDir: back })).findings.filter(({ kind }) => kind === "damage")).toEqual([]);
      await using daemon = await startTestDaemon({ home: there });
      expect((await fetch(`${daemon.url}/health`)).status).toBe(200);
      onDatabase.home[Symbol.dispose]();
    },
  );

  test("a database in which daemons work is refused, and stays theirs", async () => {
    await using database = await emptyDatabase();
    using home = mktHome();
    await using daemon = await startTestDaemon({ home, environment: { MKT_DATABASE_URL: database.url } });
    const settings = { url: new DatabaseUrl(database.url) };
    const target = join(home.path, "files");

    const move = migrateToFolder({ ...home, dataDir: target, database: settings, onProgress() {} });
    await expect(move).rejects.toThrow("Stop every daemon first");

    expect(await database.query("select from move")).toEqual([]);
    expect((await daemon.request("GET", "/v1/runs")).status).toBe(200);
  });
});
