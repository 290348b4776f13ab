import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replacePrivateFile } from "../../shared/replace-file.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { DataFolderUnusable } from "./storage-errors.ts";

/** `<data>/MOVED`: what the folder holds was moved into a database, and goes on there. */
const NAME = "MOVED";
const Moved = z.object({ to: z.string(), at: z.string(), lines: z.int() });
export type Moved = z.infer<typeof Moved>;

/** Written when everything is in the database and was compared: from then on the folder starts no daemon of its own. */
export async function markMoved(dataDir: string, moved: Moved): Promise<void> {
  await replacePrivateFile(join(dataDir, NAME), `${JSON.stringify(moved)}\n`);
}

/** Undefined: the folder was not moved. */
export async function readMoved(dataDir: string): Promise<Moved | undefined> {
  try {
    return Moved.parse(JSON.parse(await readFile(join(dataDir, NAME), "utf8")));
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw new DataFolderUnusable(dataDir, `its file ${NAME} cannot be read; it says that the data were moved`, error);
  }
}

/** Two that go on from the same point would both charge and call. */
export async function refuseMovedFolder(dataDir: string): Promise<void> {
  const moved = await readMoved(dataDir);
  if (moved === undefined) return;
  throw new DataFolderUnusable(
    dataDir,
    `its data were moved to ${moved.to} at ${moved.at} and go on there. Start the daemon with --database-url, ` +
      `or, to go back to the state of that time and lose what came after, remove ${join(dataDir, NAME)}`,
  );
}
