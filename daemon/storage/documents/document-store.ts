import type { z } from "zod";
import type { VersionArchive } from "../../catalog/editions/version-archive.ts";
import type { SecretsFile } from "../../catalog/grants/secret-store.ts";
import type { PrintCredential } from "../../config/credential-prints.ts";
import type { ConnectionStore } from "../../connections/connection-record.ts";
import type { SharedUses } from "../../discovery/use/share-uses.ts";
import type { SealingKey } from "../../webhooks/secret-box.ts";
import type { Document } from "./documents.ts";

/** What a service keeps beside its journal: small documents, earlier versions of provider files, and what is secret. */
export interface DocumentStore {
  /** Opens a document by its name, such as `settings.json`. `defaults` are used while there is none. */
  open<Schema extends z.ZodType>(
    name: string,
    schema: Schema,
    defaults: z.infer<Schema>,
  ): Promise<Document<z.infer<Schema>>>;
  /** Where the document is, for a message to the operator. */
  placeOf(name: string): string;
  readonly versions: VersionArchive;
  /** What daemons learn from use together. Absent: this one alone, in a file. */
  readonly uses?: SharedUses;
  openSecrets(): Promise<SecretsFile>;
  /** `learn` is told every token, so that it is redacted. */
  openConnections(learn: (secret: string) => void): Promise<ConnectionStore>;
  /** Seals the secrets of webhooks. */
  readonly webhookKey: SealingKey;
  readonly printCredential: PrintCredential;
  /**
   * Resolves when everything that any daemon has acknowledged is seen here; at once, if that is no more than the change of
   * number `newest`. Files have one daemon: nothing to do.
   */
  refresh(newest?: number): Promise<void>;
}
