import { appendFileSync, chownSync, copyFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Certificate, certificateMaker } from "../remote/certificates.ts";
import { initData, type PostgresServer, startServer } from "./postgres.ts";

export const TLS_ROLE = "app";

export interface TlsServer extends AsyncDisposable {
  readonly server: PostgresServer;
  /** Of the authority that signed the server's certificate. */
  readonly authority: Certificate;
}

export interface TlsServerOptions {
  /** Where certificates are made; kept by the caller. */
  readonly folder: string;
  /** Names that the certificate is for, such as `DNS:localhost`. */
  readonly names: string;
  readonly password: string;
}

/** A server that lets `app` in with TLS and its password (SCRAM) alone, to the database of the same name. */
export async function startTlsServer({ folder, names, password }: TlsServerOptions): Promise<TlsServer> {
  const maker = certificateMaker(folder);
  const authority = maker.authority();
  const own = maker.signed("database", names);
  const server = await startServer({
    settings: ["ssl = on", "ssl_cert_file = 'server.crt'", "ssl_key_file = 'server.key'"],
    prepare(dataDir, as) {
      initData(dataDir, as);
      const { uid, gid } = statSync(dataDir);
      for (const [from, to] of [
        [own.certFile, "server.crt"],
        [own.keyFile, "server.key"],
      ] as const) {
        copyFileSync(from, join(dataDir, to));
        chownSync(join(dataDir, to), uid, gid);
      }
      // The owner of the server, who prepares tests, comes without either.
      writeFileSync(
        join(dataDir, "pg_hba.conf"),
        `hostnossl all mkt 127.0.0.1/32 trust\nhostssl all ${TLS_ROLE} 127.0.0.1/32 scram-sha-256\n`,
      );
      appendFileSync(join(dataDir, "postgresql.auto.conf"), "password_encryption = 'scram-sha-256'\n");
    },
  });
  await server.query("postgres", `create role ${TLS_ROLE} login password '${password}'`);
  await server.query("postgres", `create database ${TLS_ROLE} owner ${TLS_ROLE} template template0`);
  return { server, authority, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
