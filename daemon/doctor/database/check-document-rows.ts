import { createHash } from "node:crypto";
import { z } from "zod";
import { countWords } from "../../../shared/count-words.ts";
import { errorText } from "../../../shared/error-text.ts";
import { ConfigRefused } from "../../config/config-refused.ts";
import type { SealingKeySource } from "../../config/database-settings.ts";
import { findDatabaseKey } from "../../storage/documents/database/database-key.ts";
import { isSealed, isSealedWith } from "../../storage/documents/database/sealed-documents.ts";
import { isLearned, LearnedDocument } from "../../storage/documents/database/shared-uses.ts";
import { checked } from "../../storage/documents/durable-adapter.ts";
import type { Queries } from "../../storage/postgres/connection.ts";
import { documentSchemas } from "../check-folder.ts";
import type { Findings } from "../finding.ts";

export interface KeyPlace {
  readonly configDir: string;
  readonly sealingKey: SealingKeySource | undefined;
}

interface DocumentRow extends Record<string, unknown> {
  readonly name: string;
  readonly body: string | null;
  readonly changed: number;
}

/** Documents can be understood, sealed ones opened where this machine has the key, and provider files are what their names say. */
export async function checkDocumentRows(queries: Queries, findings: Findings, where: KeyPlace): Promise<void> {
  const names = await queries.query<{ name: string }>(
    "select name from documents where body is not null order by name",
  );
  const sealed = names.filter(({ name }) => isSealed(name));
  const key = sealed.length === 0 ? undefined : await findKey(where, findings);
  for (const { name } of names) {
    const [row] = await queries.query<DocumentRow>("select name, body, changed from documents where name = $1", [name]);
    if (row === undefined || row.body === null) continue;
    const place = { row: `document ${name}` };
    if (!isSealed(name)) checkPlain(findings, name, row.body);
    else if (key !== undefined && !isSealedWith(key, name, row.body))
      findings.damage("documents", "it cannot be opened with the key of this machine", place);
  }
  await checkChanges(queries, findings);
  const files = await checkProviderFiles(queries, findings);
  const closed = key === undefined && sealed.length > 0 ? `, ${sealed.length} of them sealed and not opened` : "";
  findings.looked.set("documents", `${countWords(names.length, "document")}${closed}, ${files}`);
}

/** Undefined where this machine has none: then it is no machine of a daemon, which would refuse to start. */
async function findKey({ configDir, sealingKey }: KeyPlace, findings: Findings): Promise<Buffer | undefined> {
  try {
    return (await findDatabaseKey(configDir, sealingKey, false)).key;
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    findings.note("documents", error.message);
    return undefined;
  }
}

function checkPlain(findings: Findings, name: string, body: string): void {
  try {
    checked(name, (isLearned(name) ? LearnedDocument : documentSchemas[name]) ?? z.unknown(), JSON.parse(body));
  } catch (error) {
    findings.damage("documents", errorText(error), { row: `document ${name}` });
  }
}

/** A change with a number beyond the head would be given a number that others have seen already. */
async function checkChanges(queries: Queries, findings: Findings): Promise<void> {
  const [row] = await queries.query<{ head: number | null; newest: number | null }>(
    "select (select n from document_head) as head, (select max(changed) from documents) as newest",
  );
  if (row !== undefined && row.head !== null && (row.newest ?? 0) <= row.head) return;
  const message = `the newest change of a document is ${row?.newest ?? 0}, and the head says ${row?.head ?? "nothing"}`;
  findings.damage("documents", message, { row: "document_head" });
}

async function checkProviderFiles(queries: Queries, findings: Findings): Promise<string> {
  const hashes = await queries.query<{ hash: string }>("select hash from provider_files order by hash");
  for (const { hash } of hashes) {
    const [row] = await queries.query<{ body: string }>("select body from provider_files where hash = $1", [hash]);
    if (row === undefined || createHash("sha256").update(row.body).digest("hex") === hash) continue;
    findings.damage("documents", "its content is not what was written", { row: `provider file ${hash}` });
  }
  return countWords(hashes.length, "provider file");
}
