import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { readLocalDaemonFile, writeLocalDaemonFile } from "../../../shared/local-daemon-file.ts";
import { isoNow, systemClock } from "../../base/clock.ts";
import { OpenParts } from "../../base/open-parts.ts";
import type { DatabaseSettings } from "../../config/database-settings.ts";
import { hashCredential, parseKey } from "../../identity/api-keys.ts";
import type { IdentityStore } from "../../ledger/stores/identity-store.ts";
import { nodeFiles } from "../../storage/files.ts";
import { openJournalStore } from "../../storage/journal/journal-store.ts";
import { markMoved, readMoved, refuseMovedFolder, unmarkMoved } from "../../storage/moved-folder.ts";
import { analyze, DOCUMENT_TABLES, LINE_TABLES, type NotAnalyzed } from "../../storage/postgres/analyze.ts";
import { DatabaseMoved, readMoveMark, removeMoveMark, writeMoveMark } from "../../storage/postgres/move-mark.ts";
import { openPostgresStore } from "../../storage/postgres/postgres-store.ts";
import { compareBeginning, copyLines } from "./copy-lines.ts";
import { documentsToDatabase, documentsToFolder } from "./move-documents.ts";
import { beSoleUser } from "./sole-user.ts";
import type { Summary } from "./sum-up.ts";
import { linesOfDatabase, linesOfFolder } from "./whole-lines.ts";

export interface MigrateParts {
  readonly dataDir: string;
  readonly configDir: string;
  readonly database: DatabaseSettings;
  readonly onProgress: (lines: number, of: number) => void;
  /** Tables of the database could not be counted for the planning of questions; nothing else is wrong. */
  readonly onNotAnalyzed?: (tables: readonly NotAnalyzed[]) => void;
}

export interface Migrated extends Summary {
  readonly from: string;
  readonly to: string;
  readonly documents: number;
}

/** Nothing may be lost without its process knowing: a failure of either store ends the move with its error. */
const onFatal = () => {};

/**
 * Moves everything of a stopped daemon's folder into an empty database, or goes on where a move was interrupted; from its
 * beginning the folder starts no daemon any more, and until its end the database starts none. Rejects as the stores do, and with
 * `DatabaseInUse`, `DatabaseMoved` and `TargetDiffers`.
 */
export async function migrateToDatabase(parts: MigrateParts): Promise<Migrated> {
  const { configDir, database: settings, onProgress } = parts;
  const dataDir = resolve(parts.dataDir);
  const { shown } = settings.url;
  const before = await readMoved(dataDir);
  if (before?.state === "coming") await refuseMovedFolder(dataDir);
  await using folder = await openJournalStore({ dataDir, onFatal });
  const options = await optionsOf(settings);
  await using opened = new OpenParts();
  const store = opened.use(await openPostgresStore({ ...options, onFatal }));
  const { database } = store;
  const mark = await readMoveMark(database);
  if (before?.state === "gone" && mark?.state !== "coming") await refuseMovedFolder(dataDir);
  // What was moved from there into a folder may come back from that one.
  if (mark !== undefined && mark.place !== dataDir) throw new DatabaseMoved(shown, mark);
  const tell = (left: readonly NotAnalyzed[]) => {
    if (left.length > 0) parts.onNotAnalyzed?.(left);
  };
  const sides = { source: () => linesOfFolder(nodeFiles(), dataDir), target: () => linesOfDatabase(database) };
  // Before either is marked: they may be none of each other's business.
  const already = await compareBeginning(sides);
  const sole = opened.use(await beSoleUser(database, { shown, state: "coming", place: dataDir }));
  await markMoved(dataDir, { state: "going", to: shown, at: isoNow(systemClock) });
  const summary = await copyLines({
    ...sides,
    store,
    already,
    onProgress: (lines) => onProgress(lines, folder.lastNumber),
    onWritten: async () => tell(await analyze(database, LINE_TABLES)),
  });
  const documents = await documentsToDatabase({ dataDir, configDir, settings, tables: database });
  tell(await analyze(database, DOCUMENT_TABLES));
  await sole.leave(await store.listOpenRuns());
  await markMoved(dataDir, { state: "gone", to: shown, at: isoNow(systemClock), lines: summary.lines });
  await removeMoveMark(database);
  return { from: dataDir, to: shown, documents, ...summary };
}

/**
 * The other way: into a folder that is new, or that an interrupted move began. From then on the database starts no daemon any
 * more. The CLI gets the owner's key for the folder where it has it for `keyOf`.
 */
export async function migrateToFolder(parts: MigrateParts & { readonly keyOf?: string }): Promise<Migrated> {
  const { configDir, database: settings, keyOf, onProgress } = parts;
  const dataDir = resolve(parts.dataDir);
  const { shown } = settings.url;
  const before = await readMoved(dataDir);
  if (before !== undefined && before.state !== "coming") await refuseMovedFolder(dataDir);
  const options = await optionsOf(settings);
  await using opened = new OpenParts();
  const source = opened.use(await openPostgresStore({ ...options, onFatal }));
  const { database } = source;
  const mark = await readMoveMark(database);
  const isOurs = mark?.place === dataDir && (mark.state === "going" || (mark.state === "gone" && before !== undefined));
  if (mark !== undefined && !isOurs) throw new DatabaseMoved(shown, mark);
  await using store = await openJournalStore({ dataDir, onFatal });
  const sides = { source: () => linesOfDatabase(database), target: () => linesOfFolder(nodeFiles(), dataDir) };
  const already = await compareBeginning(sides);
  opened.use(await beSoleUser(database, { shown, state: "going", place: dataDir }));
  await markMoved(dataDir, { state: "coming", from: shown, at: isoNow(systemClock) });
  const summary = await copyLines({
    ...sides,
    store,
    already,
    onProgress: (lines) => onProgress(lines, source.lastNumber),
  });
  const documents = await documentsToFolder({ dataDir, configDir, settings, tables: database });
  if (keyOf !== undefined) await carryOwnerKey(source, configDir, { from: keyOf, to: dataDir });
  await writeMoveMark(database, "gone", dataDir);
  await unmarkMoved(dataDir);
  return { from: shown, to: dataDir, documents, ...summary };
}

/** The CLI finds the key by the folder. Nothing is done where it has none for the old one, or one that is not good. */
async function carryOwnerKey(
  store: IdentityStore,
  configDir: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const known = await readLocalDaemonFile(configDir, from);
  if (known?.key === undefined || (await readLocalDaemonFile(configDir, to))?.key !== undefined) return;
  const credential = parseKey(known.key);
  const found = credential === undefined ? undefined : await store.findKeyByHash(hashCredential(credential));
  if (found === undefined || found.revokedAt !== undefined) return;
  await writeLocalDaemonFile(configDir, { ...known, dataDir: to, stoppedAt: known.stoppedAt ?? isoNow(systemClock) });
}

async function optionsOf({
  url,
  caFile,
}: DatabaseSettings): Promise<{ readonly url: string; readonly ca: string | undefined }> {
  return { url: url.reveal(), ca: caFile === undefined ? undefined : await readFile(caFile, "utf8") };
}
