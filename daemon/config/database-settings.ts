import { resolve } from "node:path";
import { z } from "zod";
import type { Environment } from "../../shared/places.ts";
import { ConfigRefused } from "./config-refused.ts";
import type { DaemonFlags } from "./daemon-flags.ts";
import { GivenSettings, onlyGiven } from "./given-settings.ts";

const SETTING = "--database-url (MKT_DATABASE_URL)";
/** Scheme, who, hosts with ports, database, parameters: as libpq reads it. Several hosts are separated by commas. */
const FORM = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^@/?#]*)\/([^/?#]+)(?:\?([^#]*))?$/;
/** Shorter ones are lost while a daemon collects garbage, longer ones leave runs without a daemon for too long. */
const LeaseSeconds = z.coerce
  .number({ error: "not a number of seconds" })
  .min(2, "takes 2 seconds or more")
  .max(300, "takes 300 seconds or less");
const SEALING_KEY = /^[0-9a-f]{64}$/i;

/** The address of a PostgreSQL database. What prints, logs or serialises it gets it without its password. */
export class DatabaseUrl {
  /** With the password left out. */
  readonly shown: string;
  readonly #text: string;
  readonly #password: string | undefined;

  /** Throws `ConfigRefused`, which does not quote the text: what is wrong may be the password. */
  constructor(text: string, setting: string = SETTING) {
    const [whole, user, password, hosts = "", database = "", parameters = ""] = FORM.exec(text) ?? [];
    if (whole === undefined || !isDecodable([user, password, database])) {
      throw new ConfigRefused(
        `${setting} takes an address such as postgres://mkt@db.example.com:5432/mkt?sslmode=verify-full. ` +
          "Characters of a user or password that an address cannot have are written as %40 for @, %3A for :, %2F for /",
      );
    }
    if (/(?:^|&)(?:password|sslpassword)=/i.test(parameters)) {
      throw new ConfigRefused(
        `${setting}: write the password before the host, or set PGPASSWORD, instead of password=`,
      );
    }
    this.#text = text;
    this.#password = password === undefined || password === "" ? undefined : decodeURIComponent(password);
    const who = user === undefined || user === "" ? "" : `${user}@`;
    this.shown = `postgres://${who}${hosts}/${database}`;
  }

  get password(): string | undefined {
    return this.#password;
  }

  /** The whole address, with its password: for the driver alone. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return this.shown;
  }

  toJSON(): string {
    return this.shown;
  }
}

function isDecodable(parts: readonly (string | undefined)[]): boolean {
  try {
    for (const part of parts) decodeURIComponent(part ?? "");
    return true;
  } catch {
    return false;
  }
}

/** The key that seals secrets in the database, which never holds it: 32 bytes, from a variable or a file. */
export type SealingKeySource = { readonly hex: string } | { readonly file: string };

export interface DatabaseSettings {
  readonly url: DatabaseUrl;
  /** PEM file of the authorities that may have signed the certificate of the database. */
  readonly caFile?: string;
  /** Absent: `<config>/database-key`, made at the first start. */
  readonly sealingKey?: SealingKeySource;
  /** How long this daemon may be silent before others take over its runs; absent: the usual time. */
  readonly leaseMs?: number;
}

/** Undefined: everything is kept in files. */
export function databaseSettings(given: GivenSettings, flags: DaemonFlags): DatabaseSettings | undefined {
  const text = given.text("MKT_DATABASE_URL", flags.databaseUrl);
  const caFile = given.text("MKT_DATABASE_CA_FILE");
  const sealingKey = sealingKeyOf(given);
  const leaseSeconds = given.number("MKT_LEASE_SECONDS", LeaseSeconds);
  if (text === undefined) {
    if (caFile === undefined && sealingKey === undefined && leaseSeconds === undefined) return undefined;
    throw new ConfigRefused(`The other settings of a database need ${SETTING}, which is not set`);
  }
  const url = new DatabaseUrl(text);
  if (flags.databaseUrl !== undefined && url.password !== undefined) throw passwordInFlag("--database-url");
  return {
    url,
    ...onlyGiven({
      caFile: caFile === undefined ? undefined : resolve(caFile),
      sealingKey,
      leaseMs: leaseSeconds === undefined ? undefined : leaseSeconds * 1_000,
    }),
  };
}

/** Every user of the machine sees the words of a command, so a password among them is refused. */
export function passwordInFlag(flag: string): ConfigRefused {
  return new ConfigRefused(
    `The password in ${flag} can be seen by every user of this machine, in the list of processes. ` +
      "Set MKT_DATABASE_URL to the whole address instead, or leave the password out and set PGPASSWORD",
  );
}

function sealingKeyOf(given: GivenSettings): SealingKeySource | undefined {
  const hex = given.text("MKT_DATABASE_KEY");
  const file = given.text("MKT_DATABASE_KEY_FILE");
  if (hex !== undefined && file !== undefined) {
    throw new ConfigRefused("Set MKT_DATABASE_KEY or MKT_DATABASE_KEY_FILE, not both");
  }
  if (file !== undefined) return { file: resolve(file) };
  if (hex === undefined) return undefined;
  if (SEALING_KEY.test(hex)) return { hex: hex.toLowerCase() };
  throw new ConfigRefused("MKT_DATABASE_KEY takes 64 hexadecimal digits, such as openssl rand -hex 32 prints");
}

/** Of a command that works on a database without a daemon. `address`: given to it, without a password. Throws `ConfigRefused`. */
export function databaseOfCommand(environment: Environment, address?: string): DatabaseSettings {
  const found = databaseSettings(new GivenSettings(environment), address === undefined ? {} : { databaseUrl: address });
  if (found !== undefined) return found;
  throw new ConfigRefused("MKT_DATABASE_URL is not set: it says which database, as postgres://user:password@host/name");
}
