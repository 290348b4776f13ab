import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { ConfigRefused } from "../../daemon/config/config-refused.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES, PASSWORD, startServer, urlOf } from "../support/postgres.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

const SECRET = "sealed-value-of-a-provider-4711";

describe.skipIf(!hasPostgres)(`a daemon on PostgreSQL (${NEEDS_POSTGRES})`, () => {
  test("keeps keys, settings and secrets, which the next daemon finds in another folder", async () => {
    await using database = await emptyDatabase();
    using home = mktHome();
    const environment = { MKT_DATABASE_URL: database.url };
    let key: string;
    {
      await using first = await startTestDaemon({ home, environment });
      ({ key } = first);
      await first.client.putSecret({ params: { name: "ACME_API_KEY" }, body: { value: SECRET } });
      await first.client.updateAdminSettings({ body: { discoverPool: 77 } });
    }
    using other = mktHome();
    const sealingKey = readFileSync(join(home.environment["MKT_CONFIG_DIR"] ?? "", "database-key"), "utf8").trim();
    await using second = await startTestDaemon({
      home: other,
      environment: { ...environment, MKT_DATABASE_KEY: sealingKey },
    });
    const ask = await fetch(`${second.url}/v1/admin/settings`, { headers: { authorization: `Bearer ${key}` } });
    expect(await ask.json()).toMatchObject({ discoverPool: 77 });
    const stored = await database.query("select name, body from documents");
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    expect(stored.map(({ name }) => name)).toContain("sealed/secrets");
  });

  test("refuses another sealing key, and says where the right one is", async () => {
    await using database = await emptyDatabase();
    const environment = { MKT_DATABASE_URL: database.url };
    await using first = await startTestDaemon({ environment });
    await first[Symbol.asyncDispose]();
    const started = startTestDaemon({ environment: { ...environment, MKT_DATABASE_KEY: "ab".repeat(32) } });
    await expect(started).rejects.toThrow(ConfigRefused);
    await expect(startTestDaemon({ environment })).rejects.toThrow(/database-key is not there/);
  });

  test("says in no log line what the password of the database is", async () => {
    await using database = await emptyDatabase();
    const lines: string[] = [];
    await using daemon = await startTestDaemon({
      environment: { MKT_DATABASE_URL: database.url },
      onLog: (line) => lines.push(JSON.stringify(line)),
    });
    await daemon.request("GET", "/v1/auth/whoami");
    expect(lines.filter((line) => line.includes(PASSWORD))).toEqual([]);
  });

  test("answers 503 while the database is away, is not ready, lives, and goes on when it is back", async () => {
    await using server = await startServer();
    const log: string[] = [];
    await using daemon = await startTestDaemon({
      environment: { MKT_DATABASE_URL: urlOf(server.port, "postgres") },
      onLog: ({ msg, err }) => void log.push(`${String(msg)} ${JSON.stringify(err ?? "")}`),
    });
    expect((await fetch(`${daemon.url}/ready`)).status).toBe(200);
    await server.stop("immediate");
    const refused = await fetch(`${daemon.url}/v1/auth/whoami`, { headers: { authorization: `Bearer ${daemon.key}` } });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.text()).not.toContain(String(server.port));
    const ready = await fetch(`${daemon.url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { ready: false, reason: "storage away", since: expect.any(String) },
    ]);
    expect((await fetch(`${daemon.url}/health`)).status).toBe(200);
    await server.start();
    await vi.waitUntil(async () => (await fetch(`${daemon.url}/ready`)).status === 200, { timeout: 30_000 });
    const made = await daemon.client.createApiKey({ body: { label: "after-the-outage" } });
    expect(made.label).toBe("after-the-outage");
    // Once, with the reason.
    const told = log.filter((line) => line.startsWith("the database is"));
    expect(told).toEqual([
      expect.stringMatching(/^the database is away: .*(ECONNREFUSED|Connection terminated|shutting down|57P)/),
      expect.stringMatching(/^the database is back/),
    ]);
  });
});
