import type { z } from "zod";
import type { Logger } from "../../../base/logger.ts";
import { type SecretsFile, SecretsDocument } from "../../../catalog/grants/secret-store.ts";
import { printWith } from "../../../config/credential-prints.ts";
import type { SealingKeySource } from "../../../config/database-settings.ts";
import type { DocumentStore } from "../document-store.ts";
import type { Document } from "../documents.ts";
import { checked } from "../durable-adapter.ts";
import { findDatabaseKey } from "./database-key.ts";
import { openSharedConnections } from "./shared-connections.ts";
import { openSharedUses } from "./shared-uses.ts";
import { SealedDocuments } from "./sealed-documents.ts";
import { DOCUMENTS_CHANNEL, type DocumentTables, SharedDocuments } from "./shared-documents.ts";

export interface DatabaseDocumentsParts {
  readonly tables: DocumentTables;
  /** Hears what other daemons tell; undefined: something may have been missed. */
  readonly listen: (channel: string, listener: (payload: string | undefined) => void) => void;
  readonly configDir: string;
  readonly sealingKey: SealingKeySource | undefined;
  /** Names the database in messages. */
  readonly shown: string;
  readonly logger: Logger;
}

/**
 * Documents in the tables that daemons share. What is secret is sealed with a key that is not in the database. Rejects with
 * `ConfigRefused` when that key is missing or another one, or with `StorageAway`.
 */
export async function openDatabaseDocuments(parts: DatabaseDocumentsParts): Promise<DocumentStore> {
  const { tables, listen, configDir, sealingKey, shown, logger } = parts;
  const shared = await SharedDocuments.open(tables);
  const { key, place } = await findDatabaseKey(configDir, sealingKey, !SealedDocuments.isBegun(shared));
  const sealed = await SealedDocuments.open(shared, key, place);
  // What is missed here is found by the next request, which asks.
  listen(DOCUMENTS_CHANNEL, () => void shared.refresh().catch(() => undefined));
  return {
    open: async (name, schema, defaults) => openShared(shared, { name, schema, defaults, logger }),
    placeOf: (name) => `${name} in ${shown}`,
    versions: sharedVersions(tables),
    uses: openSharedUses(shared),
    openSecrets: async () => openSharedSecrets(sealed),
    openConnections: async (learn) => openSharedConnections(sealed, learn),
    webhookKey: {
      find: async () => bytesOf(sealed.read("sealed/webhook-key")),
      findOrMake: async () => Buffer.from(await sealed.key("sealed/webhook-key"), "hex"),
    },
    printCredential: printWith(async () => await sealed.key("sealed/print-key")),
    refresh: async (newest) => {
      if (newest === undefined || newest > shared.seen) await shared.refresh();
    },
  };
}

interface SharedDocumentParts<Schema extends z.ZodType> {
  readonly name: string;
  readonly schema: Schema;
  readonly defaults: z.infer<Schema>;
  readonly logger: Logger;
}

/** One that another daemon wrote and this one cannot understand is logged once, and the one before it stays in use. */
function openShared<Schema extends z.ZodType>(
  shared: SharedDocuments,
  { name, schema, defaults, logger }: SharedDocumentParts<Schema>,
): Document<z.infer<Schema>> {
  const parse = (body: string) => checked(name, schema, JSON.parse(body));
  const first = shared.get(name);
  let known = first;
  let data = first === undefined ? defaults : parse(first.body);

  const read = () => {
    const now = shared.get(name);
    if (now === known) return data;
    known = now;
    try {
      data = now === undefined ? defaults : parse(now.body);
    } catch (error) {
      logger.error({ err: error, document: name }, "another daemon wrote a document that this one cannot use");
    }
    return data;
  };
  return {
    get data() {
      return read();
    },
    async update(change) {
      await shared.change(name, (body) => {
        const draft = structuredClone(body === undefined ? defaults : parse(body));
        change(draft);
        return JSON.stringify(checked(name, schema, draft));
      });
    },
  };
}

function sharedVersions(tables: DocumentTables): DocumentStore["versions"] {
  return {
    async put(hash, { file, text }) {
      await tables.query("insert into provider_files (hash, file, body) values ($1, $2, $3) on conflict do nothing", [
        hash,
        file,
        text,
      ]);
    },
    async get(hash) {
      const [row] = await tables.query<{ file: string; body: string }>(
        "select file, body from provider_files where hash = $1",
        [hash],
      );
      return row === undefined ? undefined : { file: row.file, text: row.body };
    },
    // A daemon does not know which of them a run of another daemon is about to begin under. They are few, and small.
    retain: async () => {},
  };
}

const SECRETS = "sealed/secrets";

function openSharedSecrets(sealed: SealedDocuments): SecretsFile {
  const parse = (text: string | undefined) => SecretsDocument.parse(JSON.parse(text ?? "{}"));
  let text = sealed.read(SECRETS);
  let data = parse(text);
  return {
    get data() {
      const now = sealed.read(SECRETS);
      if (now !== text) [text, data] = [now, parse(now)];
      return data;
    },
    async update(change) {
      await sealed.change(SECRETS, (before) => {
        const draft = { ...parse(before) };
        change(draft);
        return JSON.stringify(draft);
      });
    },
  };
}

function bytesOf(hex: string | undefined): Buffer | undefined {
  return hex === undefined ? undefined : Buffer.from(hex, "hex");
}
