import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makePrivateFolder, replacePrivateFile } from "../../../shared/replace-file.ts";
import { systemErrorCode } from "../../../shared/system-error-code.ts";
import { ConfigRefused } from "../../config/config-refused.ts";
import type { DatabaseSettings } from "../../config/database-settings.ts";
import { findDatabaseKey } from "../../storage/documents/database/database-key.ts";
import { isSealed, SealedDocuments } from "../../storage/documents/database/sealed-documents.ts";
import { type DocumentTables, SharedDocuments } from "../../storage/documents/database/shared-documents.ts";
import { isLearned, openSharedUses } from "../../storage/documents/database/shared-uses.ts";
import { openUseFile } from "../../storage/documents/use-file.ts";
import { openVersionFiles } from "../../storage/documents/version-files.ts";

export interface MoveDocumentsParts {
  readonly dataDir: string;
  readonly configDir: string;
  readonly settings: DatabaseSettings;
  readonly tables: DocumentTables;
}

/** Files of the configuration folder, and the sealed documents that have the same text. */
const SECRET_FILES: readonly (readonly [file: string, name: string])[] = [
  ["secrets.json", "sealed/secrets"],
  ["webhook-key", "sealed/webhook-key"],
  ["credential-print.key", "sealed/print-key"],
];
const CONNECTIONS = "connections/";
const VERSION = /^manifest-([0-9a-f]{64})\.json$/;
/**
 * `scrub.json` is about a disk. `sealing-key.json` opens cursors: files number the beginning of a segment as a line and databases
 * do not, so a cursor from before a move would repeat runs or leave some out. It is refused instead.
 */
const NOT_MOVED: ReadonlySet<string> = new Set(["scrub.json", "sealing-key.json"]);

/** Resolves with the number of documents. A repeated move writes the same again. */
export async function documentsToDatabase(parts: MoveDocumentsParts): Promise<number> {
  const { dataDir, configDir, tables } = parts;
  const { shared, sealed } = await openBoth(parts);
  const docs = join(dataDir, "docs");
  let count = 0;
  for (const name of await namesIn(docs)) {
    const text = await readFile(join(docs, name), "utf8");
    const hash = VERSION.exec(name)?.[1];
    if (hash !== undefined) {
      const { file, text: body } = JSON.parse(text) as { file: string; text: string };
      await tables.query("insert into provider_files (hash, file, body) values ($1, $2, $3) on conflict do nothing", [
        hash,
        file,
        body,
      ]);
    } else await shared.change(name, () => JSON.stringify(JSON.parse(text)));
    count += 1;
  }
  count += await usesToDatabase(dataDir, shared);
  const connections = await namesIn(join(configDir, CONNECTIONS));
  for (const [file, name] of [
    ...SECRET_FILES,
    ...connections.map((one) => [join(CONNECTIONS, one), `${CONNECTIONS}${one}`] as const),
  ]) {
    const text = await readIfThere(join(configDir, file));
    if (text === undefined) continue;
    await sealed.change(name, () => text.trim());
    count += 1;
  }
  return count;
}

/** Rejects with `ConfigRefused`, before writing one, where the configuration folder has secrets of another market. */
export async function documentsToFolder(parts: MoveDocumentsParts): Promise<number> {
  const { dataDir, configDir, tables } = parts;
  const { shared, sealed } = await openBoth(parts);
  const secrets: [path: string, text: string][] = [];
  for (const [file, name] of [...SECRET_FILES, ...sealed.names(CONNECTIONS).map((one) => [one, one] as const)]) {
    const text = sealed.read(name);
    const path = join(configDir, file);
    const there = (await readIfThere(path))?.trim();
    if (text === undefined || text === there) continue;
    if (there !== undefined) {
      throw new ConfigRefused(
        `${path} has another content than the database. Move it away, or name another folder with MKT_CONFIG_DIR`,
      );
    }
    secrets.push([path, text]);
  }
  for (const [path, text] of secrets) {
    await makePrivateFolder(dirname(path));
    await replacePrivateFile(path, `${text}\n`);
  }
  const docs = join(dataDir, "docs");
  await mkdir(docs, { recursive: true, mode: 0o700 });
  const plain = shared.names("").filter((name) => !NOT_MOVED.has(name) && !isSealed(name) && !isLearned(name));
  for (const name of plain) await replacePrivateFile(join(docs, name), `${shared.get(name)?.body ?? ""}\n`);
  const files = await tables.query<{ hash: string; file: string; body: string }>(
    "select hash, file, body from provider_files",
  );
  const versions = openVersionFiles(docs);
  for (const { hash, file, body } of files) await versions.put(hash, { file, text: body });
  return secrets.length + plain.length + files.length + (await usesToFolder(dataDir, shared));
}

/** A file that is damaged counts as none, as for a daemon. */
async function usesToDatabase(dataDir: string, shared: SharedDocuments): Promise<number> {
  const found =
    (await openUseFile(dataDir)
      .read()
      .catch(() => undefined)) ?? [];
  const workspaces = new Set(found.map(({ workspaceId }) => workspaceId));
  const learned = openSharedUses(shared);
  for (const workspaceId of workspaces) {
    const uses = found.filter((use) => use.workspaceId === workspaceId);
    await learned.change(workspaceId, (before) =>
      before.forgets > 0 || before.uses.length > 0 ? undefined : { forgets: 0, uses },
    );
  }
  return workspaces.size;
}

async function usesToFolder(dataDir: string, shared: SharedDocuments): Promise<number> {
  const learned = openSharedUses(shared);
  const workspaces = learned.workspaces();
  if (workspaces.length === 0) return 0;
  await openUseFile(dataDir).write(workspaces.flatMap((workspaceId) => learned.read(workspaceId).uses));
  return workspaces.length;
}

async function openBoth({ configDir, settings, tables }: MoveDocumentsParts) {
  const shared = await SharedDocuments.open(tables);
  const { key, place } = await findDatabaseKey(configDir, settings.sealingKey, !SealedDocuments.isBegun(shared));
  return { shared, sealed: await SealedDocuments.open(shared, key, place) };
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => name.endsWith(".json") && !NOT_MOVED.has(name)).sort();
}

async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, "utf8").catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  });
}
