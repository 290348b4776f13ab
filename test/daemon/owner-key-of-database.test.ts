import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import { LOCK_HEAD } from "../../daemon/storage/postgres/append.ts";
import { Database } from "../../daemon/storage/postgres/database.ts";
import { localDaemonFilePath, readLocalDaemonFile, writeLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES, PASSWORD } from "../support/postgres.ts";
import { request } from "../support/request.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

const HANG_MS = 120_000;
const SEAL = { MKT_DATABASE_KEY: "ab".repeat(32) };

async function reset(home: MktHome, environment: Readonly<Record<string, string>>, ...words: string[]) {
  return await runMkt(["daemon", "reset-owner-key", ...words], {
    env: { ...home.environment, ...environment },
    mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: 0 }),
  });
}

async function keyOf({ configDir, dataDir }: MktHome): Promise<string> {
  return (await readLocalDaemonFile(configDir, dataDir))?.key ?? "";
}

/** Nobody writes a line until it is let go. */
async function heldHead(url: string) {
  const database = new Database({ url });
  const connection = await database.connect();
  await connection.query("begin");
  await connection.query(LOCK_HEAD);
  // The server ends a session that stands still in a transaction.
  const awake = setInterval(() => void connection.query("select").catch(() => undefined), 500);
  return {
    letGo: async () => void (await connection.query("commit")),
    async [Symbol.asyncDispose]() {
      clearInterval(awake);
      connection.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

const whoami = async (url: string, key: string) => await request(`${url}/v1/auth/whoami`, "GET", { key });

describe.skipIf(!hasPostgres)(`the owner's key of a database (${NEEDS_POSTGRES})`, { timeout: HANG_MS }, () => {
  test("is made anew beside running daemons, which take it with the next request and the old one no more", async () => {
    await using database = await emptyDatabase();
    const environment = { MKT_DATABASE_URL: database.url, ...SEAL };
    await using a = await startTestDaemon({ environment });
    await using b = await startTestDaemon({ environment });
    using home = mktHome();

    const made = await reset(home, environment);

    expect(made).toMatchObject({ exitCode: 0, stdout: "" });
    const key = await keyOf(home);
    expect(made.stderr).toContain(localDaemonFilePath(home.configDir, home.dataDir));
    expect(made.stderr).not.toContain(key);
    for (const { url } of [a, b]) {
      expect((await whoami(url, key)).body).toMatchObject({ credential: { operator: true } });
      expect((await whoami(url, a.key)).status).toBe(401);
    }
  });

  test("is one alone after several were made at once, of which the others are revoked", async () => {
    await using database = await emptyDatabase();
    const environment = { MKT_DATABASE_URL: database.url, ...SEAL };
    await using daemon = await startTestDaemon({ environment });
    using one = mktHome();
    using other = mktHome();
    using third = mktHome();
    const homes = [one, other, third];

    const made = await Promise.all(homes.map((home) => reset(home, environment)));

    expect(made.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const keys = [daemon.key, ...(await Promise.all(homes.map(keyOf)))];
    const statuses = await Promise.all(keys.map(async (key) => (await whoami(daemon.url, key)).status));
    expect(statuses.toSorted()).toEqual([200, 401, 401, 401]);
    expect(statuses[0]).toBe(401);
  });

  test("is in its file although a daemon of this machine writes the old one there meanwhile", async () => {
    await using database = await emptyDatabase();
    const environment = { MKT_DATABASE_URL: database.url, ...SEAL };
    await using daemon = await startTestDaemon({ environment });
    using home = mktHome();
    const { configDir, dataDir } = home;
    await using head = await heldHead(database.url);

    const making = reset(home, environment);
    await expect.poll(() => keyOf(home), { timeout: 15_000 }).not.toBe("");
    const file = await readLocalDaemonFile(configDir, dataDir);
    if (file === undefined) throw new Error("the key is in no file");
    await writeLocalDaemonFile(configDir, { ...file, pid: 4_321, key: daemon.key });
    await head.letGo();

    expect((await making).exitCode).toBe(0);
    expect(await readLocalDaemonFile(configDir, dataDir)).toMatchObject({ pid: 4_321 });
    expect((await whoami(daemon.url, await keyOf(home))).status).toBe(200);
    expect((await whoami(daemon.url, daemon.key)).status).toBe(401);
  });

  test("is said to be of a database that was moved away while it was made, and stays in its file", async () => {
    await using database = await emptyDatabase();
    const environment = { MKT_DATABASE_URL: database.url, ...SEAL };
    await using daemon = await startTestDaemon({ environment });
    using home = mktHome();
    await using head = await heldHead(database.url);

    const making = reset(home, environment);
    await expect.poll(() => keyOf(home), { timeout: 15_000 }).not.toBe("");
    await database.query("insert into move (state, place) values ('gone', '/elsewhere')");
    await head.letGo();

    const made = await making;
    expect(made.exitCode).toBe(78);
    expect(made.stderr).toMatch(/made while the data were being moved.*When the move has ended.*\/elsewhere/s);
    expect((await whoami(daemon.url, await keyOf(home))).status).toBe(200);
  });

  test("leaves the daemon of this machine to be found, and keeps a key of another store in a file beside it", async () => {
    await using database = await emptyDatabase();
    const environment = { MKT_DATABASE_URL: database.url, ...SEAL };
    await using daemon = await startTestDaemon({ environment });
    using home = mktHome();
    const { configDir, dataDir } = home;
    const url = "http://127.0.0.1:7999";
    const other = { url, registryUrl: url, pid: process.pid, version: "0.1.0", dataDir, key: "mkt_of_another_store" };
    await writeLocalDaemonFile(configDir, { ...other, startedAt: "2026-01-01T00:00:00.000Z" });

    const made = await reset(home, environment);

    expect(made.exitCode).toBe(0);
    const [kept = ""] = /\S+-before-\w+\.json/.exec(made.stderr) ?? [];
    expect(JSON.parse(readFileSync(kept, "utf8"))).toMatchObject({ key: other.key });
    expect(await readLocalDaemonFile(configDir, dataDir)).toMatchObject({ url, pid: process.pid });
    expect((await whoami(daemon.url, await keyOf(home))).status).toBe(200);
    const again = await reset(home, environment);
    expect(again.stderr).not.toContain("-before-");
    expect(existsSync(kept)).toBe(true);
    expect((await whoami(daemon.url, await keyOf(home))).status).toBe(200);
  });

  test("is refused where no daemon has made an owner, where data were moved away, and with a password among the words", async () => {
    await using empty = await emptyDatabase();
    await using moved = await emptyDatabase();
    const environment = { MKT_DATABASE_URL: moved.url, ...SEAL };
    await using daemon = await startTestDaemon({ environment });
    await moved.query("insert into move (state, place) values ('gone', '/elsewhere')");
    using home = mktHome();

    const ownerless = await reset(home, { MKT_DATABASE_URL: empty.url });
    const gone = await reset(home, environment);
    const shown = await reset(home, {}, "--database-url", moved.url);

    expect(ownerless).toMatchObject({ exitCode: 78, stderr: expect.stringContaining("Start a daemon once") });
    expect(gone.stderr).toContain("/elsewhere");
    expect(shown.stderr).toContain("MKT_DATABASE_URL");
    expect(shown.stderr).not.toContain(PASSWORD);
    expect(await readLocalDaemonFile(home.configDir, home.dataDir)).toBeUndefined();
    expect((await whoami(daemon.url, daemon.key)).status).toBe(200);
  });
});
