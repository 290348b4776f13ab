import { readFile } from "node:fs/promises";
import { isoNow, systemClock } from "../../base/clock.ts";
import { OpenParts } from "../../base/open-parts.ts";
import type { DatabaseSettings } from "../../config/database-settings.ts";
import { nodeFiles } from "../../storage/files.ts";
import { openJournalStore } from "../../storage/journal/journal-store.ts";
import { markMoved, refuseMovedFolder } from "../../storage/moved-folder.ts";
import { openPostgresStore } from "../../storage/postgres/postgres-store.ts";
import { copyLines } from "./copy-lines.ts";
import { documentsToDatabase, documentsToFolder } from "./move-documents.ts";
import { beSoleUser } from "./sole-user.ts";
import type { Summary } from "./sum-up.ts";
import { linesOfDatabase, linesOfFolder } from "./whole-lines.ts";

export interface MigrateParts {
  readonly dataDir: string;
  readonly configDir: string;
  readonly database: DatabaseSettings;
  readonly onProgress: (lines: number, of: number) => void;
}

export interface Migrated extends Summary {
  readonly from: string;
  readonly to: string;
  readonly documents: number;
}

/** Nothing may be lost without its process knowing: a failure of either store ends the move with its error. */
const onFatal = () => {};

/**
 * Moves everything of a stopped daemon's folder into an empty database, or goes on where a move was interrupted; then the folder
 * starts no daemon any more. Rejects as the stores do, and with `TargetDiffers`.
 */
export async function migrateToDatabase(parts: MigrateParts): Promise<Migrated> {
  const { dataDir, configDir, database: settings, onProgress } = parts;
  await refuseMovedFolder(dataDir);
  await using folder = await openJournalStore({ dataDir, onFatal });
  const options = await optionsOf(settings);
  await using opened = new OpenParts();
  const store = opened.use(await openPostgresStore({ ...options, onFatal }));
  const sole = opened.use(await beSoleUser(store.database, settings.url.shown));
  const summary = await copyLines({
    source: () => linesOfFolder(nodeFiles(), dataDir),
    target: () => linesOfDatabase(store.database),
    store,
    already: store.lastNumber,
    onProgress: (lines) => onProgress(lines, folder.lastNumber),
  });
  const documents = await documentsToDatabase({ dataDir, configDir, settings, tables: store.database });
  const { shown } = settings.url;
  await sole.leave(await store.listOpenRuns());
  await markMoved(dataDir, { to: shown, at: isoNow(systemClock), lines: summary.lines });
  return { from: dataDir, to: shown, documents, ...summary };
}

/** The other way: into a folder that is new, or that an interrupted move began. The database stays as it is. */
export async function migrateToFolder(parts: MigrateParts): Promise<Migrated> {
  const { dataDir, configDir, database: settings, onProgress } = parts;
  await refuseMovedFolder(dataDir);
  const options = await optionsOf(settings);
  await using opened = new OpenParts();
  const source = opened.use(await openPostgresStore({ ...options, onFatal }));
  opened.use(await beSoleUser(source.database, settings.url.shown));
  await using store = await openJournalStore({ dataDir, onFatal });
  const summary = await copyLines({
    source: () => linesOfDatabase(source.database),
    target: () => linesOfFolder(nodeFiles(), dataDir),
    store,
    already: store.lastNumber,
    onProgress: (lines) => onProgress(lines, source.lastNumber),
  });
  const documents = await documentsToFolder({ dataDir, configDir, settings, tables: source.database });
  return { from: settings.url.shown, to: dataDir, documents, ...summary };
}

async function optionsOf({
  url,
  caFile,
}: DatabaseSettings): Promise<{ readonly url: string; readonly ca: string | undefined }> {
  return { url: url.reveal(), ca: caFile === undefined ? undefined : await readFile(caFile, "utf8") };
}
