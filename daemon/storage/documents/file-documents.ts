import { join } from "node:path";
import type { Logger } from "../../base/logger.ts";
import { openCredentialPrints } from "../../config/credential-prints.ts";
import { nodeFiles } from "../files.ts";
import { ensureFolder } from "../journal/folder/data-folder.ts";
import { openConnectionFiles } from "./connection-files.ts";
import type { DocumentStore } from "./document-store.ts";
import { openDocument } from "./documents.ts";
import { openSealingKeyFile } from "./sealing-key-file.ts";
import { openSecretsFile } from "./secrets-file.ts";
import { openVersionFiles } from "./version-files.ts";

export interface FileDocumentsParts {
  readonly dataDir: string;
  /** Of what is secret: apart from the data folder, and so in no backup. */
  readonly configDir: string;
  readonly logger: Logger;
}

/** `<data>/docs`, and what is secret in the configuration folder. Problems of a file that could be repaired are logged. */
export async function openFileDocuments({ dataDir, configDir, logger }: FileDocumentsParts): Promise<DocumentStore> {
  const dir = await ensureFolder(nodeFiles(), dataDir, "docs");
  const onWarning = (message: string) => logger.warn({}, message);
  return {
    open: async (name, schema, defaults) => await openDocument(join(dir, name), schema, defaults, { onWarning }),
    placeOf: (name) => join(dir, name),
    versions: openVersionFiles(dir),
    openSecrets: async () => await openSecretsFile(configDir),
    openConnections: async (learn) => await openConnectionFiles(configDir, { logger, learn }),
    webhookKey: openSealingKeyFile(configDir),
    printCredential: openCredentialPrints(configDir, logger),
    refresh: async () => {},
  };
}
