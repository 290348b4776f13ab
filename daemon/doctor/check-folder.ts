import { join } from "node:path";
import { z } from "zod";
import { GrantsDocument } from "../catalog/grants/grants.ts";
import { SealingKeyDocument } from "../http/cursors/sealer.ts";
import { KeyUseDocument } from "../identity/key-use.ts";
import { KnownTimeDocument } from "../operator/retention.ts";
import { SettingsDocument } from "../operator/document-settings-store.ts";
import { whyNotOwn, whyNotOwnBelow } from "../../shared/own-folder.ts";
import { DocumentInvalid } from "../storage/documents/document-invalid.ts";
import { ScrubDocument } from "../storage/journal/scrub/scrub-document.ts";
import { DurableAdapter, TEMPORARY } from "../storage/documents/durable-adapter.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { type Files } from "../storage/files.ts";
import { readFormat, OTHERS } from "../storage/journal/folder/data-folder.ts";
import { DataFormatUnknown } from "../storage/storage-errors.ts";
import { countWords } from "../../shared/count-words.ts";
import type { Findings } from "./finding.ts";

/** By their names, in a folder and in a database. */
export const documentSchemas: Readonly<Record<string, z.ZodType>> = {
  "settings.json": SettingsDocument,
  "grants.json": GrantsDocument,
  "key-use.json": KeyUseDocument,
  "sealing-key.json": SealingKeyDocument,
  "known-time.json": KnownTimeDocument,
  "scrub.json": ScrubDocument,
};

export interface FolderParts {
  readonly files: Files;
  readonly dataDir: string;
  readonly findings: Findings;
}

/** Checks who may read the files, and finds incomplete ones. Returns all names in the folder, with `/` between them. */
export async function checkFolder(parts: FolderParts): Promise<string[]> {
  const { files, dataDir, findings } = parts;
  const names: string[] = [];
  const visit = async (name: string): Promise<void> => {
    const path = join(dataDir, name);
    const named = await files.lookAt(path);
    const foreign = name === "" ? await whyNotOwn(path, files) : whyNotOwnBelow(path, named);
    if (named.isLink && name !== "") {
      findings.damage("folder", foreign ?? `${path} is a link`, { file: name });
      return;
    }
    const facts = await files.stat(path);
    if (foreign !== undefined && (facts.mode & OTHERS) === 0) {
      findings.damage("folder", foreign, name === "" ? {} : { file: name });
    }
    if ((facts.mode & OTHERS) !== 0) {
      const mode = facts.mode.toString(8).padStart(4, "0");
      const closed = facts.isDirectory ? 700 : 600;
      const message = `${path} is open to other users (mode ${mode}). Close it with: chmod ${closed} '${path}'`;
      findings.damage("folder", message, name === "" ? {} : { file: name });
    }
    if (!facts.isDirectory) names.push(name);
    else for (const below of await files.list(path)) await visit(name === "" ? below : `${name}/${below}`);
  };
  await visit("");
  for (const file of names.filter((name) => name.includes(TEMPORARY))) {
    findings.note("folder", "it was never completed; the next start removes it", {
      file,
      mend: { kind: "remove", file },
    });
  }
  findings.looked.set("folder", countWords(names.length, "file"));
  return names;
}

export async function checkFormatFile({ files, dataDir, findings }: FolderParts): Promise<void> {
  findings.looked.set("format", "1 file");
  try {
    if ((await readFormat(files, dataDir)) === undefined)
      findings.damage("format", "it is missing", { file: "FORMAT" });
  } catch (error) {
    if (!(error instanceof DataFormatUnknown)) throw error;
    findings.damage("format", error.message, { file: "FORMAT" });
  }
}

export async function checkDocuments({ files, dataDir, findings }: FolderParts): Promise<void> {
  const folder = join(dataDir, "docs");
  const found = await files.list(folder).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  });
  const names = found.filter((name) => name.endsWith(".json"));
  findings.looked.set("documents", countWords(names.length, "document"));
  for (const name of names) {
    const file = `docs/${name}`;
    const onWarning = (message: string) => findings.damage("documents", message, { file });
    const schema = documentSchemas[name] ?? z.unknown();
    try {
      await new DurableAdapter({ files, path: join(folder, name), schema, onWarning }).read();
    } catch (error) {
      if (!(error instanceof DocumentInvalid)) throw error;
      findings.damage("documents", error.message, { file });
    }
  }
}
