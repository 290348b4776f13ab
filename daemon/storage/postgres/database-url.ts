import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";

/*
 * The address of a database, as libpq writes it, with more than one host for a failover:
 *
 *   postgres://user:password@one:5432,two:5432/name?target_session_attrs=read-write&sslmode=verify-full
 *
 * Source: https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING
 */

const SHAPE = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const DEFAULT_PORT = 5432;

const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
const SESSIONS = ["any", "read-write", "primary"] as const;
const PARAMETERS = [
  "sslmode",
  "sslrootcert",
  "target_session_attrs",
  "application_name",
  "connect_timeout",
  "options",
  "host",
] as const;

type Parameter = (typeof PARAMETERS)[number];

export interface DatabaseHost {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

export interface DatabaseAddress {
  /** At least one; tried in their order. */
  readonly hosts: readonly DatabaseHost[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  /** Undefined: without TLS. */
  readonly tls: ConnectionOptions | undefined;
  /** Whether a host that takes no writes, such as a standby, is passed over. */
  readonly isWritable: boolean;
  readonly applicationName: string;
  readonly connectTimeoutMs: number;
  readonly options: string | undefined;
  /** For messages and logs: without user, password and parameters. */
  readonly shown: string;
}

/** The address of the database cannot be used. The message never repeats the address, which may contain a password. */
export class DatabaseUrlInvalid extends Error {
  override readonly name = "DatabaseUrlInvalid";
}

/** Throws `DatabaseUrlInvalid`. `ca`: certificates in PEM that are trusted instead of the system's. */
export function parseDatabaseUrl(url: string, ca?: string): DatabaseAddress {
  const parts = SHAPE.exec(url.trim());
  if (parts === null) throw invalid("it is not of the form postgres://user:password@host:5432/name");
  const [, credentials = "", authority = "", path = "", query = ""] = parts;
  const parameters = readParameters(query);
  const [user, password] = readCredentials(credentials);
  const hosts = readHosts(authority, parameters.get("host"));
  const database = path === "" ? undefined : decoded(path, "the name of the database");
  return {
    hosts,
    user,
    password,
    database,
    tls: readTls(parameters, ca),
    isWritable: readSession(parameters.get("target_session_attrs"), hosts.length),
    applicationName: parameters.get("application_name") ?? "mkt",
    connectTimeoutMs: readSeconds(parameters.get("connect_timeout")) * 1_000,
    options: parameters.get("options"),
    shown: `${hosts.map(({ host, port }) => `${host}:${port}`).join(",")}/${database ?? ""}`,
  };
}

function readParameters(query: string): ReadonlyMap<Parameter, string> {
  const found = new Map<Parameter, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const known = PARAMETERS.find((one) => one === name);
    // Its name is not repeated: it may be the rest of a password that has a question mark.
    if (known === undefined) throw invalid(`it has a parameter that is none of ${PARAMETERS.join(", ")}`);
    found.set(known, value);
  }
  return found;
}

function readCredentials(text: string): readonly [string | undefined, string | undefined] {
  if (text === "") return [undefined, undefined];
  const colon = text.indexOf(":");
  if (colon === -1) return [decoded(text, "the user"), undefined];
  return [decoded(text.slice(0, colon), "the user"), decoded(text.slice(colon + 1), "the password")];
}

function readHosts(authority: string, socketFolder: string | undefined): DatabaseHost[] {
  if (authority === "" && socketFolder === undefined) return [{ host: "localhost", port: DEFAULT_PORT }];
  if (authority === "") return [{ host: socketFolder ?? "", port: DEFAULT_PORT }];
  return authority.split(",").map((one) => {
    const [, ipv6, name = "", port] = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(\d+))?$/.exec(one) ?? [];
    const host = ipv6 ?? decoded(name, "a host");
    const number = port === undefined ? DEFAULT_PORT : Number(port);
    if (number < 1 || number > 65_535 || (host === "" && socketFolder === undefined)) {
      throw invalid("a host is not of the form name:port, or its port is not between 1 and 65535");
    }
    return { host: host === "" ? (socketFolder ?? "") : host, port: number };
  });
}

function readTls(parameters: ReadonlyMap<Parameter, string>, ca: string | undefined): ConnectionOptions | undefined {
  const file = parameters.get("sslrootcert");
  const trusted = ca ?? (file === undefined ? undefined : readCertificates(file));
  const mode = oneOf(
    SSL_MODES,
    "sslmode",
    parameters.get("sslmode") ?? (trusted === undefined ? "disable" : "verify-full"),
  );
  switch (mode) {
    case "disable":
      return undefined;
    case "require":
      // As libpq: with certificates to trust, they are used.
      return trusted === undefined
        ? { rejectUnauthorized: false }
        : { ca: trusted, checkServerIdentity: () => undefined };
    case "verify-ca":
      return { ...(trusted !== undefined && { ca: trusted }), checkServerIdentity: () => undefined };
    case "verify-full":
      return trusted === undefined ? {} : { ca: trusted };
  }
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new DatabaseUrlInvalid(`The certificates of sslrootcert, ${file}, cannot be read`, { cause: error });
  }
}

/** With more than one host, a standby among them would refuse every write: they are then passed over unless asked for. */
function readSession(value: string | undefined, hosts: number): boolean {
  if (value === undefined) return hosts > 1;
  return oneOf(SESSIONS, "target_session_attrs", value) !== "any";
}

function readSeconds(value: string | undefined): number {
  const seconds = Number(value ?? 5);
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= 300) return seconds;
  throw invalid("connect_timeout is not a number of seconds between 1 and 300");
}

function oneOf<Value extends string>(values: readonly Value[], name: string, value: string): Value {
  const found = values.find((one) => one === value);
  if (found === undefined) throw invalid(`${name} is not one of ${values.join(", ")}`);
  return found;
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(`${what} has a % that no two hexadecimal digits follow; write % as %25`);
  }
}

function invalid(why: string): DatabaseUrlInvalid {
  return new DatabaseUrlInvalid(`The address of the database cannot be used: ${why}`);
}
