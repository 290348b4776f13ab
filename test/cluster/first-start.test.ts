import { describe, expect, test } from "vitest";
import { readLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { effort } from "../support/effort.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, type EmptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { askWith } from "../support/request.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

const HANG_MS = 300_000;
const DAEMONS = 10;
const PROCESSES = effort(3, 10);

/** Daemons in the places of `homes`, each with its address and how it is stopped. */
async function checkOneOwner(database: EmptyDatabase, homes: readonly MktHome[], urls: readonly string[]) {
  const kept = await Promise.all(homes.map(({ configDir, dataDir }) => readLocalDaemonFile(configDir, dataDir)));
  const keys = kept.flatMap((file) => (file?.key === undefined ? [] : [file.key]));
  expect(kept.every((file, i) => file?.url === urls[i])).toBe(true);
  expect(keys).toHaveLength(1);
  for (const url of urls) {
    const { status, body } = await askWith(url, keys[0] ?? "")("GET", "/v1/auth/whoami");
    expect([status, body.credential?.operator]).toEqual([200, true]);
  }
  const [made] = await database.query(
    "select count(*)::int as lines, count(*) filter (where body like '%\"owner.created\"%')::int as owners from lines",
  );
  expect(made).toMatchObject({ owners: 1 });
  const applied = await database.query(
    "select number, count(*)::int from migrations group by number having count(*) > 1",
  );
  expect(applied).toEqual([]);
  // All in one transaction: all that one daemon did, and none that another did beside it.
  expect(await database.query("select distinct xmin::text from migrations")).toHaveLength(1);
  return keys[0] ?? "";
}

const environmentOf = (url: string) => ({ MKT_DATABASE_URL: url, MKT_DATABASE_KEY: "ab".repeat(32) });

describe.skipIf(!hasPostgres)(`daemons at once on an empty database (${NEEDS_POSTGRES})`, { timeout: HANG_MS }, () => {
  test(`${DAEMONS} of them make one owner, and those that did not make it say who has the key`, async () => {
    await using database = await emptyDatabase();
    const homes = Array.from({ length: DAEMONS }, () => mktHome());
    const warned: { readonly at: number; readonly line: string }[] = [];
    const begun = homes.map(async (home, at) => {
      const onLog = (line: Readonly<Record<string, unknown>>) => {
        if (line["validOwnerKeys"] !== undefined) warned.push({ at, line: JSON.stringify(line) });
      };
      return await startTestDaemon({ home, environment: environmentOf(database.url), onLog });
    });
    const daemons = await Promise.all(begun);
    try {
      const key = await checkOneOwner(
        database,
        homes,
        daemons.map(({ url }) => url),
      );

      const winner = daemons.findIndex((daemon) => daemon.key === key);
      expect(new Set(warned.map(({ at }) => at)).size).toBe(DAEMONS - 1);
      expect(warned.some(({ at }) => at === winner)).toBe(false);
      for (const { line } of warned) {
        expect(line).toContain(key.slice(0, "mkt_live_".length + 8));
        expect(line).not.toContain(key);
        expect(line).toContain("mkt keys create");
      }
    } finally {
      for (const daemon of daemons) await daemon[Symbol.asyncDispose]();
      for (const home of homes) home[Symbol.dispose]();
    }
  });

  test(`${PROCESSES} processes make one owner, whose key is the only one that is kept`, async () => {
    await using database = await emptyDatabase();
    const homes = Array.from({ length: PROCESSES }, () => mktHome());
    const daemons = await Promise.all(
      homes.map(async (home) => await spawnDaemon({ home, environment: environmentOf(database.url) })),
    );
    try {
      await checkOneOwner(
        database,
        homes,
        daemons.map(({ url }) => url),
      );
    } finally {
      await Promise.all(daemons.map(async (daemon) => await daemon[Symbol.asyncDispose]()));
      for (const home of homes) home[Symbol.dispose]();
    }
  });

  test("a key of another database stays where it was, and the daemon says that it is not valid here", async () => {
    await using one = await emptyDatabase();
    await using other = await emptyDatabase();
    using home = mktHome();
    const first = await startTestDaemon({ home, environment: environmentOf(one.url) });
    await first[Symbol.asyncDispose]();
    await using owner = await startTestDaemon({ environment: environmentOf(other.url) });
    const warned: string[] = [];
    const onLog = (line: Readonly<Record<string, unknown>>) => {
      if (line["validOwnerKeys"] !== undefined) warned.push(JSON.stringify(line));
    };

    await using second = await startTestDaemon({ home, environment: environmentOf(other.url), onLog });

    expect(second.key).toBe(first.key);
    expect(warned).toHaveLength(1);
    expect(warned[0]).toContain("is not valid here");
    expect(warned[0]).toContain(owner.key.slice(0, "mkt_live_".length + 8));
  });
});
