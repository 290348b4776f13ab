import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { ConfigRefused } from "../../daemon/config/config-refused.ts";
import { DatabaseUrl, databaseSettings } from "../../daemon/config/database-settings.ts";
import { GivenSettings } from "../../daemon/config/given-settings.ts";

const SECRET = "p4ss-w0rd-of-the-database";
const URL_WITH_PASSWORD = `postgres://mkt:${SECRET}@db.example.com:5432/mkt?sslmode=verify-full`;

function settingsOf(environment: Record<string, string>, flags = {}) {
  return databaseSettings(new GivenSettings(environment), flags);
}

/** The message of the refusal. */
function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigRefused) return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("settings of the database", () => {
  test("without an address there is no database", () => {
    expect(settingsOf({})).toBeUndefined();
  });

  test("the password of an address is in nothing that is printed", () => {
    const settings = settingsOf({ MKT_DATABASE_URL: URL_WITH_PASSWORD });
    const printed = [
      JSON.stringify(settings),
      inspect(settings, { depth: 9, showHidden: true }),
      String(settings?.url),
    ];
    expect(printed.filter((text) => text.includes(SECRET))).toEqual([]);
    expect(settings?.url.shown).toBe("postgres://mkt@db.example.com:5432/mkt");
    expect(settings?.url.password).toBe(SECRET);
    expect(settings?.url.reveal()).toBe(URL_WITH_PASSWORD);
  });

  test("a password in the flag is refused, and not quoted", () => {
    const refusal = refusalOf(() => settingsOf({}, { databaseUrl: URL_WITH_PASSWORD }));
    expect(refusal).toContain("MKT_DATABASE_URL");
    expect(refusal).not.toContain(SECRET);
  });

  test.each([
    "mysql://mkt@db/mkt",
    `postgres://mkt:${SECRET}@db`,
    `postgres://mkt:${SECRET}@db/`,
    `postgres://mkt:${SECRET}/x@db/mkt`,
    `postgres://mkt:%zz${SECRET}@db/mkt`,
    `postgres://mkt@db/mkt?password=${SECRET}`,
    `db ${SECRET}`,
  ])("%s is refused without quoting it", (url) => {
    expect(refusalOf(() => settingsOf({ MKT_DATABASE_URL: url }))).not.toContain(SECRET);
  });

  test("an address may name several hosts, so that the database can move to another one", () => {
    const url = new DatabaseUrl("postgresql://mkt@one:5432,two:5433/mkt?target_session_attrs=read-write");
    expect(url.shown).toBe("postgres://mkt@one:5432,two:5433/mkt");
  });

  test("the sealing key is taken from one place", () => {
    const key = "ab".repeat(32);
    const base = { MKT_DATABASE_URL: URL_WITH_PASSWORD };
    expect(settingsOf({ ...base, MKT_DATABASE_KEY: key })?.sealingKey).toEqual({ hex: key });
    expect(settingsOf({ ...base, MKT_DATABASE_KEY_FILE: "/etc/mkt/key" })?.sealingKey).toEqual({
      file: "/etc/mkt/key",
    });
    expect(refusalOf(() => settingsOf({ ...base, MKT_DATABASE_KEY: key, MKT_DATABASE_KEY_FILE: "/k" }))).toContain(
      "both",
    );
    expect(refusalOf(() => settingsOf({ ...base, MKT_DATABASE_KEY: SECRET }))).not.toContain(SECRET);
  });

  test("a setting of the database without its address is refused", () => {
    expect(refusalOf(() => settingsOf({ MKT_DATABASE_CA_FILE: "/ca.pem" }))).toContain("--database-url");
  });

  test("the lease is a number of seconds that a daemon can keep", () => {
    const base = { MKT_DATABASE_URL: URL_WITH_PASSWORD };
    expect(settingsOf({ ...base, MKT_LEASE_SECONDS: "2.5" })?.leaseMs).toBe(2_500);
    expect(settingsOf(base)?.leaseMs).toBeUndefined();
    for (const wrong of ["1", "301", "soon"])
      expect(refusalOf(() => settingsOf({ ...base, MKT_LEASE_SECONDS: wrong }))).toContain("MKT_LEASE_SECONDS");
    expect(refusalOf(() => settingsOf({ MKT_LEASE_SECONDS: "5" }))).toContain("--database-url");
  });
});
