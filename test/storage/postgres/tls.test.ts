import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toDaemonExit } from "../../../daemon/start/daemon-exit.ts";
import { openPostgresStore } from "../../../daemon/storage/postgres/postgres-store.ts";
import { certificateMaker, hasOpenssl } from "../../remote/certificates.ts";
import { hasPostgres, NEEDS_POSTGRES } from "../../support/postgres.ts";
import { startTlsServer, TLS_ROLE, type TlsServer } from "../../support/postgres-tls.ts";
import { startTestDaemon } from "../../support/start-daemon.ts";
import { tempDir } from "../../support/temp-dir.ts";

const PASSWORD = "right-pass-4711";
const WRONG = "wrong-pass-0815";

describe.skipIf(!hasPostgres || !hasOpenssl)(
  `a database with TLS and passwords (${NEEDS_POSTGRES} and openssl)`,
  () => {
    let folder: ReturnType<typeof tempDir>;
    let tls: TlsServer;
    /** Of an authority that signed nothing here. */
    let foreign: string;
    beforeAll(async () => {
      folder = tempDir();
      const elsewhere = join(folder.path, "elsewhere");
      mkdirSync(elsewhere);
      foreign = certificateMaker(elsewhere).authority().cert;
      tls = await startTlsServer({ folder: folder.path, names: "DNS:localhost", password: PASSWORD });
    });
    afterAll(async () => {
      await tls?.[Symbol.asyncDispose]();
      folder?.[Symbol.dispose]();
    });

    const address = ({ host = "localhost", password = PASSWORD, mode = "verify-full", name = TLS_ROLE } = {}) =>
      `postgres://${TLS_ROLE}${password === "" ? "" : `:${password}`}@${host}:${tls.server.port}/${name}?sslmode=${mode}`;
    const open = async (url: string, ca?: string) => await openPostgresStore({ url, ca, onFatal: () => {} });

    test("is used in full by a daemon that has the right authority, over TLS", async () => {
      const caFile = join(folder.path, "authority.pem");
      writeFileSync(caFile, tls.authority.cert);
      await using daemon = await startTestDaemon({
        environment: { MKT_DATABASE_URL: address(), MKT_DATABASE_CA_FILE: caFile },
      });

      expect((await daemon.request("GET", "/v1/auth/whoami")).status).toBe(200);
      const sessions = await tls.server.query(
        TLS_ROLE,
        `select ssl, version from pg_stat_ssl join pg_stat_activity using (pid) where usename = '${TLS_ROLE}'`,
      );
      expect(sessions.length).toBeGreaterThan(2);
      expect(sessions.filter(({ ssl }) => ssl !== true)).toEqual([]);
    });

    test.each([
      ["with an authority that is checked, whatever the name", { host: "127.0.0.1", mode: "verify-ca" }, true],
      ["without an authority, where nobody checks", { host: "127.0.0.1", mode: "require" }, false],
    ])("lets in %s", async (_, parts, isChecked) => {
      await using store = await open(address(parts), isChecked ? tls.authority.cert : undefined);

      const [session] = await store.database.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
      expect(session).toEqual({ ssl: true });
    });

    test.each<[string, Parameters<typeof address>[0], "right" | "foreign" | "none", RegExp]>([
      ["another authority", {}, "foreign", /certificate.*\. Set MKT_DATABASE_CA_FILE to a PEM file/],
      ["another authority and no name to check", { mode: "verify-ca" }, "foreign", /Set MKT_DATABASE_CA_FILE/],
      ["the system's authorities alone", {}, "none", /Set MKT_DATABASE_CA_FILE/],
      ["another name", { host: "127.0.0.1" }, "right", /127\.0\.0\.1.*\. Write a host into MKT_DATABASE_URL/],
      [
        "a wrong password",
        { password: WRONG },
        "right",
        /password authentication failed.*\. Check the user and the pass/,
      ],
      ["no password", { password: "" }, "right", /password must be.*\. Check the user and the password .* PGPASSWORD/],
      ["no TLS", { mode: "disable" }, "none", /no encryption.*\. Check the user and sslmode/],
      ["a database that is not there", { name: "nowhere" }, "right", /"nowhere" does not exist\. Make it/],
    ])("refuses %s, says what to do, and shows no password", async (_, parts, authority, words) => {
      const ca = { right: tls.authority.cert, foreign, none: undefined }[authority];

      const refused: unknown = await open(address(parts), ca).then(
        () => undefined,
        (error: unknown) => error,
      );

      const { code, message } = toDaemonExit(refused);
      expect(message).toMatch(/^The database \S+ does not let mkt in: /);
      expect(message).toMatch(words);
      expect(code).toBe(78);
      expect(`${message} ${JSON.stringify(refused)} ${String((refused as Error).stack)}`).not.toMatch(/pass-\d+/);
    });
  },
);
