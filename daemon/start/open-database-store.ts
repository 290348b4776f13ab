import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createIdSource } from "../base/new-id.ts";
import { errorText } from "../../shared/error-text.ts";
import { ConfigRefused } from "../config/config-refused.ts";
import type { DatabaseSettings } from "../config/database-settings.ts";
import { BackupRefused } from "../operator/backup-store.ts";
import { openDatabaseDocuments } from "../storage/documents/database/database-documents.ts";
import { nodeFiles } from "../storage/files.ts";
import { prepareDataFolder } from "../storage/journal/folder/data-folder.ts";
import { acquireLock } from "../storage/journal/folder/generation-lock.ts";
import { systemProcesses } from "../storage/journal/folder/process-table.ts";
import { readMoved } from "../storage/moved-folder.ts";
import { openPostgresCluster } from "../storage/postgres/cluster/postgres-cluster.ts";
import { refuseMovedDatabase } from "../storage/postgres/move-mark.ts";
import { openPostgresStore } from "../storage/postgres/postgres-store.ts";
import { DataFolderUnusable } from "../storage/storage-errors.ts";
import type { OpenStore, OpenStoreParts } from "./opened-store.ts";

/** Lines and documents in a database; the data folder has only what this daemon needs for itself. Rejects as its parts do. */
export async function openDatabaseStore(parts: OpenStoreParts, settings: DatabaseSettings): Promise<OpenStore> {
  const { config, logger, metrics, onCommitted, opened, onFatal } = parts;
  const newId = createIdSource();
  await holdLocalFolder(parts);
  const url = settings.url.reveal();
  const options = { url, ca: await readAuthorities(settings), leaseMs: settings.leaseMs };
  const store = opened.use(
    await openPostgresStore({
      ...options,
      daemonId: newId(),
      onFatal,
      onCommitted,
      onProblem: (error) =>
        logger.warn({ err: error }, "background work of the store failed; nothing is lost, and it is retried"),
      onReached: (away) => {
        if (away === undefined) logger.info({}, "the database is back");
        else logger.error({ err: away }, "the database is away: until it is back, what may wait is refused with 503");
      },
    }),
  );
  const cluster = opened.use(
    await openPostgresCluster({
      store,
      leaseMs: settings.leaseMs,
      onFatal,
      onProblem: (error) => logger.warn({ err: error }, "work among the daemons failed; it is tried again"),
      onTakeover: ({ fenced, runIds }) => {
        if (fenced.length > 0) logger.warn({ fenced }, "daemons were silent for too long, and write nothing any more");
        else logger.warn({ runs: runIds.length }, "this daemon takes over runs of others that ended");
        metrics?.tookOver({ fenced, runs: runIds.flatMap((runId) => store.findOpenRun(runId) ?? []) });
      },
      onLeading: () => logger.info({}, "this daemon does schedules, deliveries and renewals now"),
    }),
  );
  await refuseMovedDatabase(store.database, settings.url.shown);
  metrics?.watchDatabase(() => ({
    ...store.database.pool,
    ...cluster.facts(),
    isAway: store.awaySince() !== undefined,
  }));
  const documents = await openDatabaseDocuments({
    tables: store.database,
    listen: store.listen,
    configDir: config.configDir,
    sealingKey: settings.sealingKey,
    shown: settings.url.shown,
    logger,
  });
  const refresh = async () => {
    await store.refresh();
    await documents.refresh(store.newestDocument());
  };
  return {
    store: { ...store, cluster, refresh, backup: async () => await Promise.reject(noBackup(settings)) },
    documents,
  };
}

/** The folder of caches, of the log and of how the CLI finds this daemon: another daemon needs another one. */
async function holdLocalFolder({ config, opened }: OpenStoreParts): Promise<void> {
  const { dataDir, forceUnlock } = config;
  const files = nodeFiles();
  await prepareDataFolder(files, dataDir);
  const logFolder = join(dataDir, "log");
  const lock = await acquireLock({ files, processes: systemProcesses(), dataDir, logFolder, forceUnlock });
  opened.defer(async () => await lock.release().catch(() => undefined));
  const hasJournal = await files.list(logFolder).then(
    (names) => names.length > 0,
    () => false,
  );
  if (!hasJournal || (await readMoved(dataDir))?.state === "gone") return;
  throw new DataFolderUnusable(
    dataDir,
    "it holds a journal of its own, which a daemon on a database would not show. Move it into the database with " +
      "mkt daemon migrate --to, or name another folder with --data-dir",
  );
}

async function readAuthorities({ caFile }: DatabaseSettings): Promise<string | undefined> {
  if (caFile === undefined) return undefined;
  try {
    return await readFile(caFile, "utf8");
  } catch (error) {
    throw new ConfigRefused(`MKT_DATABASE_CA_FILE cannot be read: ${errorText(error)}`);
  }
}

function noBackup({ url }: DatabaseSettings): BackupRefused {
  return new BackupRefused(
    `The data are in the database ${url.shown}, which has its own backups: pg_dump, or a base backup with its WAL. ` +
      "For a copy in files: mkt daemon migrate --to <folder>",
  );
}
