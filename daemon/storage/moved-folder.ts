import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makePrivateFolder, replacePrivateFile } from "../../shared/replace-file.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";
import { DataFolderUnusable } from "./storage-errors.ts";

/** `<data>/MOVED`: what the folder holds is being moved, or was; it starts no daemon of its own. */
const NAME = "MOVED";
const Moved = z.discriminatedUnion("state", [
  z.object({ state: z.literal("going"), to: z.string(), at: z.string() }),
  z.object({ state: z.literal("gone"), to: z.string(), at: z.string(), lines: z.int() }),
  z.object({ state: z.literal("coming"), from: z.string(), at: z.string() }),
]);
/**
 * `going`: everything in the folder is being moved into a database. `gone`: it was, and was compared, and goes on there. `coming`:
 * a database is being moved into the folder.
 */
export type Moved = z.infer<typeof Moved>;

/** Durable when it resolves. */
export async function markMoved(dataDir: string, moved: Moved): Promise<void> {
  await makePrivateFolder(dataDir);
  await replacePrivateFile(join(dataDir, NAME), `${JSON.stringify(moved)}\n`);
}

/** The folder is whole again, and daemons may start on it. */
export async function unmarkMoved(dataDir: string): Promise<void> {
  await rm(join(dataDir, NAME), { force: true });
}

/** Undefined: the folder was not moved. */
export async function readMoved(dataDir: string): Promise<Moved | undefined> {
  try {
    const read = JSON.parse(await readFile(join(dataDir, NAME), "utf8")) as object;
    return Moved.parse({ state: "gone", ...read });
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw new DataFolderUnusable(dataDir, `its file ${NAME} cannot be read; it says that the data were moved`, error);
  }
}

/** Two that go on from the same point would both charge and call. */
export async function refuseMovedFolder(dataDir: string): Promise<void> {
  const moved = await readMoved(dataDir);
  if (moved !== undefined) throw new DataFolderUnusable(dataDir, reasonOf(dataDir, moved));
}

function reasonOf(dataDir: string, moved: Moved): string {
  const mark = join(dataDir, NAME);
  switch (moved.state) {
    case "going":
      return (
        `its data are being moved to ${moved.to} since ${moved.at}. Go on with mkt daemon migrate --to postgres --data-dir ${dataDir}, ` +
        `or, to stay with the folder, remove ${mark}`
      );
    case "gone":
      return (
        `its data were moved to ${moved.to} at ${moved.at} and go on there. Start the daemon with --database-url, ` +
        `or, to go back to the state of that time and lose what came after, remove ${mark}`
      );
    case "coming":
      return (
        `${moved.from} is being moved into it since ${moved.at}, and not all is there. Go on with ` +
        `mkt daemon migrate --to ${dataDir}, or remove the folder to stay with the database`
      );
  }
}
