import { describe, expect, test } from "vitest";
import { parseDatabaseUrl } from "../../../daemon/storage/postgres/database-url.ts";

describe("the address of a database", () => {
  test.each<[string, string, object]>([
    [
      "has a user, a password, a host and a name",
      "postgres://ada:p%40ss@db.example.com:6432/market",
      { user: "ada", password: "p@ss", hosts: [{ host: "db.example.com", port: 6432 }], database: "market" },
    ],
    [
      "may leave out all but the scheme",
      "postgresql://",
      { hosts: [{ host: "localhost", port: 5432 }], tls: undefined },
    ],
    [
      "may name several hosts, of which one that takes writes is used",
      "postgres://one,two:5433,[::1]:5434/market",
      {
        hosts: [
          { host: "one", port: 5432 },
          { host: "two", port: 5433 },
          { host: "::1", port: 5434 },
        ],
        isWritable: true,
      },
    ],
    ["may take any of several hosts", "postgres://one,two/m?target_session_attrs=any", { isWritable: false }],
    [
      "may name the folder of a socket",
      "postgres:///market?host=/run/postgresql",
      { hosts: [{ host: "/run/postgresql", port: 5432 }] },
    ],
    ["may ask for TLS that nobody checks", "postgres://db/m?sslmode=require", { tls: { rejectUnauthorized: false } }],
    ["may ask for TLS that is checked", "postgres://db/m?sslmode=verify-full", { tls: {} }],
    ["may say how long to wait", "postgres://db/m?connect_timeout=2", { connectTimeoutMs: 2_000 }],
    [
      "is shown without user and password",
      "postgres://ada:secret@one,two:5433/m?sslmode=disable",
      { shown: "one:5432,two:5433/m" },
    ],
  ])("%s", (_, url, expected) => {
    expect(parseDatabaseUrl(url)).toMatchObject(expected);
  });

  test("with certificates to trust is checked in full", () => {
    expect(parseDatabaseUrl("postgres://db/m", "PEM").tls).toEqual({ ca: "PEM" });
  });

  test.each([
    ["another scheme", "mysql://ada:secret@db/m", "not of the form postgres://"],
    ["a port that is none", "postgres://ada:secret@db:99999/m", "between 1 and 65535"],
    ["a parameter that is not known", "postgres://ada:secret@db/m?pool=5", "a parameter that is none of sslmode"],
    [
      "a mode of TLS that would fall back to none",
      "postgres://ada:secret@db/m?sslmode=prefer",
      "sslmode is not one of disable, require",
    ],
    ["a % that is not escaped", "postgres://ada:sec%ret@db/m", "write % as %25"],
    [
      "certificates that are not there",
      "postgres://db/m?sslrootcert=/nowhere/ca.pem",
      "/nowhere/ca.pem, cannot be read",
    ],
    ["no time to connect", "postgres://db/m?connect_timeout=0", "between 1 and 300"],
  ])("with %s is refused, without a word of its password", (_, url, why) => {
    const parsing = () => parseDatabaseUrl(url);

    expect(parsing).toThrow(why);
    expect(parsing).not.toThrow(/secret|sec%ret/);
  });
});
