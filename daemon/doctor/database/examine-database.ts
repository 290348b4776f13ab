import { readFile } from "node:fs/promises";
import type { DatabaseSettings } from "../../config/database-settings.ts";
import type { Queries } from "../../storage/postgres/connection.ts";
import { Database } from "../../storage/postgres/database.ts";
import { SchemaUnknown } from "../../storage/postgres/database-errors.ts";
import { missingChanges } from "../../storage/postgres/migrate.ts";
import { migrations } from "../../storage/postgres/migrations/all.ts";
import { readMoveMark } from "../../storage/postgres/move-mark.ts";
import { countWords } from "../../../shared/count-words.ts";
import { type DoctorReport, reportOf } from "../doctor.ts";
import { Findings } from "../finding.ts";
import { checkDocumentRows } from "./check-document-rows.ts";
import { checkLineRows } from "./check-line-rows.ts";
import { checkOtherRows } from "./check-other-rows.ts";

export interface ExamineDatabaseParts {
  readonly configDir: string;
  readonly settings: DatabaseSettings;
}

/** One state of all tables, however long the reading takes and whatever daemons write meanwhile. */
const ONE_STATE = `
set transaction isolation level repeatable read, read only;
set local idle_in_transaction_session_timeout = 0`;

/**
 * Checks everything that a database promises, by the rules of a folder; changes nothing, and daemons may work on it. Rejects
 * with `StorageAway`, `DatabaseUrlInvalid`, `SchemaUnknown` or an error of the database. Source: docs/storage.md, "What the
 * doctor checks".
 */
export async function examineDatabase({ configDir, settings }: ExamineDatabaseParts): Promise<DoctorReport> {
  const { url, caFile, sealingKey } = settings;
  const ca = caFile === undefined ? undefined : await readFile(caFile, "utf8");
  await using database = new Database({ url: url.reveal(), ca, connections: 1 });
  await checkTables(database, url.shown);
  const findings = new Findings();
  findings.looked.set("format", countWords(migrations.length, "change of the tables", "changes of the tables"));
  await database.transaction(async (queries) => {
    await queries.query(ONE_STATE);
    await checkAll(queries, findings);
    await checkDocumentRows(queries, findings, { configDir, sealingKey });
  });
  return reportOf(url.shown, findings);
}

async function checkAll(queries: Queries, findings: Findings): Promise<void> {
  const isComing = (await readMoveMark(queries))?.state === "coming";
  const read = await checkLineRows(queries, findings);
  await checkOtherRows(queries, findings, read, { ownersAreThere: !isComing });
}

async function checkTables(database: Database, shown: string): Promise<void> {
  const missing = await missingChanges(database, migrations);
  if (missing.length === 0) return;
  throw new SchemaUnknown(
    missing.length === migrations.length
      ? `No daemon was ever started on the database ${shown}`
      : `The tables in ${shown} are of an older version of mkt, without the changes ${missing.map(({ number }) => number).join(", ")}. ` +
          "Start a daemon of this version on it, or ask the mkt that its daemons run",
  );
}
