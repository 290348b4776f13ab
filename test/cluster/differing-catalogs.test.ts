import { describe, expect, test, vi } from "vitest";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

const HANG_MS = 120_000;

/** A daemon with a lease of two seconds, whose catalog calls that port, and its log. */
async function serve(url: string, port: number) {
  const log: { msg: string; line: string }[] = [];
  const daemon = await startTestDaemon({
    manifests: { nimbus: weatherManifest(`http://127.0.0.1:${port}`) },
    environment: {
      MKT_DATABASE_URL: url,
      MKT_DATABASE_KEY: "ab".repeat(32),
      MKT_LEASE_SECONDS: "2",
      MKT_METRICS_LISTEN: "0",
    },
    onLog: (line) => void log.push({ msg: String(line["msg"]), line: JSON.stringify(line) }),
  });
  return {
    daemon,
    told: (words: string) => log.filter(({ msg }) => msg.includes(words)),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

async function othersCounted({ daemon }: TestDaemon): Promise<number> {
  const text = await (await fetch(daemon.ready.metricsUrl ?? "")).text();
  return Number(/^mkt_daemons_with_other_catalog (\d+)$/m.exec(text)?.[1]);
}

describe.skipIf(!hasPostgres)(`catalogs of daemons on one database (${NEEDS_POSTGRES})`, { timeout: HANG_MS }, () => {
  test("that differ for long are told once by each daemon and counted, until they are the same again", async () => {
    await using database = await emptyDatabase();
    await using one = await serve(database.url, 9);
    await using same = await serve(database.url, 9);
    const other = await serve(database.url, 10);

    for (const { told } of [one, same, other]) {
      await vi.waitUntil(() => told("another catalog").length > 0, { timeout: 60_000 });
    }

    expect(await othersCounted(one.daemon)).toBe(1);
    expect(await othersCounted(other.daemon)).toBe(2);
    expect(JSON.parse(other.told("another catalog")[0]?.line ?? "").others).toHaveLength(2);
    await other.daemon[Symbol.asyncDispose]();
    await vi.waitUntil(() => one.told("the same catalog again").length > 0, { timeout: 60_000 });
    expect(await othersCounted(one.daemon)).toBe(0);
    expect(one.told("another catalog")).toHaveLength(1);
  });
});
