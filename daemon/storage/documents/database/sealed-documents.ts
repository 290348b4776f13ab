import { randomBytes } from "node:crypto";
import { ConfigRefused } from "../../../config/config-refused.ts";
import { openWith, sealWith } from "../../../webhooks/secret-box.ts";
import type { SharedDocuments } from "./shared-documents.ts";

/** Sealed when the database got its first daemon: shows whether a key is the one of this database. */
const CHECK = "sealed/check";
const CHECK_TEXT = "the key of this database";

/** By its name: whether the body of a document is sealed. */
export function isSealed(name: string): boolean {
  return name.startsWith("sealed/") || name.startsWith("connections/");
}

export function isSealedWith(key: Buffer, name: string, body: string): boolean {
  return openWith(key, body, name) !== undefined;
}

/** Documents that a database and its backups alone do not give away. */
export class SealedDocuments {
  readonly #documents: SharedDocuments;
  readonly #key: Buffer;
  /** What was opened, so that it is not opened at each look. */
  readonly #opened = new Map<string, { readonly body: string; readonly text: string }>();

  /** Whether the database has been used with a sealing key. */
  static isBegun(documents: SharedDocuments): boolean {
    return documents.get(CHECK) !== undefined;
  }

  /** `key`: 32 bytes. Rejects with `ConfigRefused` when the database was sealed with another one; `place`: where it came from. */
  static async open(documents: SharedDocuments, key: Buffer, place: string): Promise<SealedDocuments> {
    // Of several first daemons the key of one counts.
    const check = await documents.change(CHECK, (known) =>
      known === undefined ? sealWith(key, CHECK_TEXT, CHECK) : undefined,
    );
    if (openWith(key, check ?? "", CHECK) !== CHECK_TEXT) throw wrongKey(place);
    return new SealedDocuments(documents, key);
  }

  private constructor(documents: SharedDocuments, key: Buffer) {
    this.#documents = documents;
    this.#key = key;
  }

  names(prefix: string): string[] {
    return this.#documents.names(prefix);
  }

  /** The same text object as long as nothing changes. Throws when what is stored was sealed for another name. */
  read(name: string): string | undefined {
    const known = this.#documents.get(name);
    if (known === undefined) return undefined;
    const opened = this.#opened.get(name);
    if (opened?.body === known.body) return opened.text;
    const text = this.#unsealed(name, known.body);
    this.#opened.set(name, { body: known.body, text });
    return text;
  }

  /** As `SharedDocuments.change`, with the text that is sealed. */
  async change(
    name: string,
    change: (text: string | undefined) => string | null | undefined,
  ): Promise<string | undefined> {
    const body = await this.#documents.change(name, (sealed) => {
      const text = change(sealed === undefined ? undefined : this.#unsealed(name, sealed));
      return typeof text === "string" ? sealWith(this.#key, text, name) : text;
    });
    return body === undefined ? undefined : this.#unsealed(name, body);
  }

  /** 32 bytes that are made when somebody first needs them, in hexadecimal. */
  async key(name: string): Promise<string> {
    const known = this.read(name);
    if (known !== undefined) return known;
    const made = await this.change(name, (before) =>
      before === undefined ? randomBytes(32).toString("hex") : undefined,
    );
    return made ?? "";
  }

  async refresh(): Promise<void> {
    await this.#documents.refresh();
  }

  #unsealed(name: string, body: string): string {
    const text = openWith(this.#key, body, name);
    if (text === undefined)
      throw new Error(`the document ${name} of the database was sealed with another key, or for another name`);
    return text;
  }
}

function wrongKey(place: string): ConfigRefused {
  return new ConfigRefused(
    `The key of ${place} is not the one that sealed the secrets in this database. ` +
      "Copy the file database-key of the configuration folder of its first daemon, or name it with MKT_DATABASE_KEY_FILE",
  );
}
