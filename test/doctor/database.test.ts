import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import type { DoctorReport as CliReport } from "../../cli/doctor/report.ts";
import { databaseOfCommand } from "../../daemon/config/database-settings.ts";
import { examineDatabase } from "../../daemon/doctor/database/examine-database.ts";
import type { DoctorReport } from "../../daemon/doctor/doctor.ts";
import { openPostgresStore } from "../../daemon/storage/postgres/postgres-store.ts";
import { freePort } from "../support/free-port.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import {
  type EmptyDatabase,
  emptyDatabase,
  hasPostgres,
  NEEDS_POSTGRES,
  PASSWORD,
  urlOf,
} from "../support/postgres.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import {
  AT,
  makeResource,
  resourceChanged,
  resourceReleased,
  runAccepted,
  runDone,
  workspaceCreated,
} from "../storage/lines.ts";
import { credit } from "../../daemon/ledger/money/postings.ts";
import { microDollars } from "../../shared/micro-dollars.ts";

const SEALING_KEY = "ab".repeat(32);
const HANG_MS = 120_000;

let home: MktHome;
beforeAll(() => (home = mktHome()));
afterAll(() => home[Symbol.dispose]());

async function examine({ url }: Pick<EmptyDatabase, "url">, key = SEALING_KEY): Promise<DoctorReport> {
  const settings = databaseOfCommand({ MKT_DATABASE_URL: url, MKT_DATABASE_KEY: key });
  return await examineDatabase({ configDir: home.configDir, settings });
}

/** A database as daemons left it: finished runs with outputs, one under way, a snapshot, documents and a secret. */
async function usedDatabase(): Promise<EmptyDatabase> {
  const database = await emptyDatabase();
  {
    await using daemon = await startTestDaemon({
      environment: { MKT_DATABASE_URL: database.url, MKT_DATABASE_KEY: SEALING_KEY },
    });
    await daemon.client.putSecret({ params: { name: "ACME_API_KEY" }, body: { value: "a secret of a provider" } });
    await daemon.client.updateAdminSettings({ body: { discoverPool: 77 } });
  }
  await using store = await openPostgresStore({
    url: database.url,
    daemonId: "one",
    snapshotEvery: 8,
    onFatal: (error) => expect.unreachable(String(error)),
  });
  await database.query("insert into daemons (id, lease_until) values ('one', clock_timestamp())");
  await store.commit({ line: workspaceCreated("w1") });
  await store.commit({
    line: {
      t: "wallet.credited",
      v: 1,
      at: AT,
      ws: "w1",
      amount: microDollars(1_000_000),
      reason: "for runs",
      by: "API_KEY#k1",
      led: credit("w1", microDollars(1_000_000)),
    },
  });
  for (let n = 0; n < 10; n += 1) {
    await store.commit({ line: runAccepted(`r${n}`) });
    await store.commit({ line: runDone(`r${n}`, { output: { text: `ü\u0000"${n}`.repeat(100_000) } }) });
  }
  await store.commit({ line: resourceChanged(makeResource()) });
  await store.commit({ line: resourceReleased(makeResource()) });
  await store.commit({ line: runAccepted("open") });
  return database;
}

async function look(env: Readonly<Record<string, string>>, ...words: string[]) {
  return await runMkt(["doctor", ...words], {
    env: { ...home.environment, MKT_PORT: "0", MKT_REGISTRY_PORT: "0", ...env },
    mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: Date.now() }),
  });
}

const DONE = "(select n from runs where run_id = 'r1')";
const ACCEPTED = "(select accepted from runs where run_id = 'r1')";

/** What somebody does to the tables, and what is then said of them. */
const damages: readonly (readonly [what: string, sql: string, check: string, message: RegExp])[] = [
  ["a line is gone", `delete from lines where n = ${DONE}`, "journal", /line \d+, before it, is missing/],
  ["the last line is gone", "delete from lines where n = (select max(n) from lines)", "journal", /the head says line/],
  [
    "a line is changed",
    `update lines set body = replace(body, '"v":', '"w":') where n = ${ACCEPTED}`,
    "journal",
    /not as this version of mkt knows it/,
  ],
  [
    "a balance is another one",
    "update accounts set micro = micro + 1 where account like 'ws:w1%'",
    "ledger",
    /instead|give/,
  ],
  [
    "a line pays less than its run costs",
    `update lines set body = regexp_replace(body, '("led":.*?,)(-?[1-9][0-9]*)', '\\1 7') where n = ${ACCEPTED}`,
    "ledger",
    /moves|sum/,
  ],
  ["a run is in no list", `delete from runs where n = ${DONE}`, "indexes", /is in no list/],
  [
    "a run is found as another one",
    `update runs set workspace_id = 'w2' where n = ${DONE}`,
    "indexes",
    /another workspace_id/,
  ],
  [
    "a run has another price",
    `update runs set facts = replace(facts, '"charged":', '"charged":1')`,
    "indexes",
    /facts/,
  ],
  [
    "a row stands for no run",
    `insert into runs select month, ${ACCEPTED}, accepted, 'x', 'w1', 0, '{a}', '{}' from runs where n = ${DONE}`,
    "indexes",
    /no line ended/,
  ],
  ["a movement is not found", `delete from movements where n = ${DONE}`, "indexes", /of other lines/],
  ["a month leaves its runs out", "update months set created_to = 0", "indexes", /left out of lists/],
  ["an output is gone", `delete from outputs where n = ${DONE}`, "blobs", /is missing/],
  [
    "a piece of an output is gone",
    `delete from outputs where n = ${DONE} and piece = 1`,
    "blobs",
    /not what was written/,
  ],
  [
    "an output is changed",
    `update outputs set body = 'x' || body where n = ${DONE} and piece = 0`,
    "blobs",
    /not what was written/,
  ],
  [
    "a snapshot is another state",
    `update snapshots set body = replace(body, '"w1"', '"w9"')`,
    "snapshots",
    /not what the lines/,
  ],
  ["an ended resource is in no list", "delete from ended_resources", "indexes", /is in no list/],
  ["an ended resource is another's", "update ended_resources set workspace_id = 'w2'", "indexes", /line \d+ ended it/],
  [
    "an ended resource is shown to another key",
    "update ended_resources set provisioned_by = 'API_KEY#k2'",
    "indexes",
    /line \d+ ended it, with another provisioned_by$/,
  ],
  [
    "an ended resource is left out of filters and of usage",
    "update ended_resources set provider = 'x', resource_type = 'x', cycle = 7, ended_at = ''",
    "indexes",
    /with another provider, resource_type, cycle, ended_at$/,
  ],
  [
    "a row stands for no ended resource",
    "insert into ended_resources select 'x', workspace_id, month, n, '', '', state, '', 0, '' from ended_resources",
    "indexes",
    /none ended it/,
  ],
  ["nobody drives a run", "delete from run_owners", "runs", /no daemon will ever drive it/],
  ["a daemon drives what has ended", "insert into run_owners values ('r1', 'one')", "runs", /not under way/],
  ["a document is no JSON", "update documents set body = '{' where name = 'settings.json'", "documents", /JSON/],
  [
    "a secret is changed",
    "update documents set body = 'x' || body where name = 'sealed/secrets'",
    "documents",
    /cannot be opened/,
  ],
  ["numbers of changes begin again", "update document_head set n = 0", "documents", /head says 0/],
];

describe.skipIf(!hasPostgres)(`the doctor of a database (${NEEDS_POSTGRES})`, { timeout: HANG_MS }, () => {
  let used: EmptyDatabase;
  beforeAll(async () => {
    used = await usedDatabase();
  }, HANG_MS);
  afterAll(async () => await used[Symbol.asyncDispose]());

  /** A copy, so that each damage is alone. */
  async function copy(): Promise<EmptyDatabase> {
    const target = await emptyDatabase();
    await target.query("select 1");
    const port = Number(new URL(target.url).port);
    const name = `${target.name}c`;
    await target.query(`create database ${name} template ${used.name}`);
    const url = urlOf(port, name);
    const { default: pg } = await import("pg");
    return {
      url,
      name,
      async query(text) {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        return await client
          .query(text)
          .then(({ rows }) => rows)
          .finally(() => client.end());
      },
      async [Symbol.asyncDispose]() {
        await target.query(`drop database ${name} with (force)`);
        await target[Symbol.asyncDispose]();
      },
    };
  }

  test("finds nothing wrong with what daemons left, and changes nothing", async () => {
    const before = await used.query("select n from snapshots union all select micro from accounts order by 1");

    const report = await examine(used);

    expect(report.findings).toEqual([]);
    expect(report.exitCode).toBe(0);
    expect(Object.fromEntries(report.checks.map(({ check, looked }) => [check, looked]))).toMatchObject({
      runs: "11 runs",
      blobs: "10 outputs",
      snapshots: expect.stringMatching(/^[12] snapshots?$/),
      documents: expect.not.stringContaining("not opened"),
    });
    expect(await used.query("select n from snapshots union all select micro from accounts order by 1")).toEqual(before);
    expect(JSON.stringify(report)).not.toContain(PASSWORD);
  });

  test.each(damages)("says so when %s", async (_what, sql, check, message) => {
    await using damaged = await copy();
    await damaged.query(sql);

    const report = await examine(damaged);

    expect(report.exitCode).toBe(65);
    const told = report.findings.filter((finding) => finding.kind === "damage" && finding.check === check);
    expect(told.map((finding) => finding.message).join("\n")).toMatch(message);
    expect(told.every(({ row, message: words }) => row !== undefined || words.includes("sum to"))).toBe(true);
  });

  test("says which documents it could not open on a machine without the key", async () => {
    const settings = databaseOfCommand({ MKT_DATABASE_URL: used.url });

    const report = await examineDatabase({ configDir: home.configDir, settings });

    expect(report.exitCode).toBe(0);
    expect(report.findings).toMatchObject([{ kind: "note", check: "documents" }]);
    expect(report.checks.find(({ check }) => check === "documents")?.looked).toMatch(/sealed and not opened/);
  });

  test("is asked with MKT_DATABASE_URL beside daemons that write, and tells findings with what mends them", async () => {
    await using database = await emptyDatabase();
    const environment = { MKT_DATABASE_URL: database.url, MKT_DATABASE_KEY: SEALING_KEY };
    await using daemon = await startTestDaemon({ environment });
    const over = new AbortController();
    const writing = (async () => {
      for (let n = 0; !over.signal.aborted; n += 1) await daemon.client.createApiKey({ body: { label: `key-${n}` } });
    })();

    const looked = await Promise.all([1, 2, 3].map(async () => await look(environment, "--json"))).finally(() =>
      over.abort(),
    );
    await writing;

    for (const { stdout } of looked) {
      const { checks, findings } = JSON.parse(stdout) as CliReport;
      expect(findings.filter(({ check }) => check === "data")).toEqual([]);
      expect(checks.find(({ check }) => check === "data")).toMatchObject({
        state: "ok",
        saw: expect.stringMatching(/^postgres:\/\/mkt@127\.0\.0\.1:\d+\/\w+: .*lines?,/),
      });
    }
    await database.query("update accounts set micro = micro + 1 where account like 'ws:%:bal'");
    const { exitCode, stdout } = await look(environment, "--json");
    expect(exitCode).toBe(1);
    const told = (JSON.parse(stdout) as CliReport).findings.filter(({ check }) => check === "data");
    expect(told).toMatchObject([
      { message: expect.stringContaining("the lines give"), next: expect.stringMatching(/^pg_restore/) },
    ]);
    expect(stdout).not.toContain(PASSWORD);
  });

  test("says clearly that a database cannot be reached, was never used, or is not repaired here", async () => {
    const away = { MKT_DATABASE_URL: urlOf(await freePort(), "mkt") };
    const { exitCode, stdout } = await look(away, "--json");
    expect(exitCode).toBe(1);
    const [told] = (JSON.parse(stdout) as CliReport).findings.filter(({ check }) => check === "data");
    expect(told?.message).toMatch(/cannot be used now: .*ECONNREFUSED.*Nothing of it was checked/);
    expect(told?.next).toMatch(/^psql /);
    expect(stdout).not.toContain(PASSWORD);

    await using empty = await emptyDatabase();
    await expect(examine(empty)).rejects.toThrow("No daemon was ever started on the database");
    expect(await empty.query("select from pg_tables where schemaname = 'public'")).toEqual([]);

    const repair = await look({ MKT_DATABASE_URL: empty.url }, "--repair", "--copy", "copy");
    expect(repair.exitCode).not.toBe(0);
    expect(repair.stderr).toContain("restore its backup");
  });
});
